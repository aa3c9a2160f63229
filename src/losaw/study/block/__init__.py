"""From a recipe to the rows of a block: replicates, their file, and the job that computes it."""
