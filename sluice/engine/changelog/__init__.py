"""Queries over changelogs: the steps that keep state, run for every batch."""
