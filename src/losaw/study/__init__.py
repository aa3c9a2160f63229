"""The simulation study: its files, data, learners, metrics, blocks, results, claims, report."""
