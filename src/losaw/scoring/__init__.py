"""The common parts of the importance methods: a model on a table, losses, tests and results."""
