"""Stage 3: multi-criteria ranking and its robustness."""
