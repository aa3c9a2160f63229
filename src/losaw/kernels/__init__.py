"""Compiled loops: decorators, stored machine code, vectors, matrix inversion, trees, logits."""
