"""How loops are compiled: decorators and flags, vectors of eight lanes, exponentials, matrix inversion."""
