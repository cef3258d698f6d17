"""Networks that the benchmarks build themselves, with seeded weights: layers and shapes as published ones have them."""
