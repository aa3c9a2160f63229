"""A reference run kept in the repository: its numbers, claims weighed against it, pages of it."""
