"""What is asked: study file, settings, seeds, blocks and their versions."""
