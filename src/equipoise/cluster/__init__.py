"""Stage 2: groups of configurations."""
