"""The computation of blocks: recipe, replicate, watched processes, progress."""
