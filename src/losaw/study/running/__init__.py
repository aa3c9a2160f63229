"""The computation of blocks: recipe, replicate, a limit of time."""
