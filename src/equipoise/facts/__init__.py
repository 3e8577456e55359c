"""Facts with sources: rounds, benchmarks, accelerators, aliases, quality rules and prices."""
