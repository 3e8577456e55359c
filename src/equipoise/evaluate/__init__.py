"""Stage 1: which variables matter."""
