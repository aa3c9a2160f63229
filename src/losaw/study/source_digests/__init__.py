"""Digests of the sources of registered names, which show whether a block is up to date."""
