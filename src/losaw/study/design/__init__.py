"""Requests: study file, settings, seeds, blocks and their versions."""
