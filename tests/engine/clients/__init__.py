"""Clients in other languages, and those that need a Python environment of their own."""
