"""losawRF in plain Python, in the paper's words: the oracle of the compiled forest."""
