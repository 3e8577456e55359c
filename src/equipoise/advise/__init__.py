"""Constraints, Pareto set and recommendation with reasons."""
