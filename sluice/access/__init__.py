"""Users, roles and grants: who may do what, and how much of it."""

from sluice.access.control import AccessControl
from sluice.access.effective import Access, owner

__all__ = ["Access", "AccessControl", "owner"]
