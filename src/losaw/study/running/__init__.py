"""How it is computed: recipe, replicate, watched processes, progress."""
