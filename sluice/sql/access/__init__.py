"""Statements about users, roles, grants, row policies, quotas and profiles, in both dialects."""

from sluice.sql.access.readers import STATEMENTS

__all__ = ["STATEMENTS"]
