"""Claims of the papers' texts, weighed against the numbers of a run."""
