"""Looking into fitted trees, ours and others': nodes, moments, attributions, Shapley values."""
