"""equipoise: which accelerator configuration should train a model, and how many are worth it."""
