"""Checks of stored results: status and verification."""
