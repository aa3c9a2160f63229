"""Checks of stored results: status, verification, origin."""
