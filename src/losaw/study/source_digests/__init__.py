"""What the sources of a registered thing say: their digest tells whether a block is up to date."""
