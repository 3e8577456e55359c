"""Pure functions: score, throughput, scaling, utilisation, energy, cost."""
