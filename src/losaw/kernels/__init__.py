"""How loops are compiled: flags, vectors of eight lanes, exponentials, matrix inversion."""
