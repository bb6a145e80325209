"""`python -m palimpsest` is the command `palimpsest`."""

from palimpsest.cli import main

raise SystemExit(main())
