"""Results: collected rows, summary, comparison with the published values, agreement."""
