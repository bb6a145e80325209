"""`palimpsest demo`: a long coding session passes through a small window, and a fact that left it is read back."""

from __future__ import annotations

from palimpsest.cli.options import Db


def demo(db: Db = None) -> None:
    """Placeholder"""
