"""Everything the Snakefile needs: inputs, outputs and parameters of its rules."""
