"""What the importance methods share: a model on a table, losses, tests and results."""
