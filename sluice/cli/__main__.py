"""`python -m sluice.cli` is the `sluice` tool."""

import sys

from sluice.cli.main import main

sys.exit(main())
