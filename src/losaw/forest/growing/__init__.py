"""Algorithm 4.3, compiled: {weights, scan, split} for continuous and for discrete features."""
