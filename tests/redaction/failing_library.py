"""A scanner that can be loaded and fails."""

from __future__ import annotations


def scan_string(text: str) -> object:
    raise RuntimeError(text)
