"""What a statement means, whatever dialect it was written in.

Front ends make these; the session runs them. Each carries the place of its name in the text, so
that an error found later still says where.
"""

# ruff: noqa: F403

from sluice.sql.ir.alterations import *
from sluice.sql.ir.control import *
from sluice.sql.ir.databases import *
from sluice.sql.ir.definitions import *
from sluice.sql.ir.nodes import *
from sluice.sql.ir.objects import *
from sluice.sql.ir.rows import *
from sluice.sql.ir.shown import *
