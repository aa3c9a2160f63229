"""From a study file to its results: schema, grid, blocks, store, summary, comparison."""
