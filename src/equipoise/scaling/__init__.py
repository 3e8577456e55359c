"""Curves, scaling laws, break-even points and prediction."""
