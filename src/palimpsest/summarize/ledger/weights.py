"""What the features of a ledger's entries weigh, as `bench/train_survival.py` learnt it.

Rules kept here:

- Learning starts from weights that were measured on real compactions of other sessions, and moves away from them only
  as far as several projects agree.
- A plan names what comes next. The sessions at hand hold too few plans to learn from; its weight is set by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from palimpsest.summarize.ledger.entries import Kind

Weights = Mapping[str, float]

PRIOR: Mapping[Kind, Weights] = MappingProxyType(
    {
        "file": {
            "used": 1.0,
            "user_newest": 1.5,
            "user_recent": 0.6,
            "spoken": 0.5,
            "used_long": 0.7,
            "uses": 0.35,
            "met_short": 0.3,
            "planned": 0.8,
            "made": -1.0,
        },
        "name": {
            "used": 0.9,
            "user_newest": 1.8,
            "spoken": 1.0,
            "met_long": 0.9,
            "used_short": 1.2,
            "used_long": 0.5,
            "results": -0.5,
            "planned": 0.8,
        },
        "value": {"used": 1.0, "used_long": 0.5, "spoken": 0.7, "user_newest": 1.0, "met_short": 1.0},
        "command": {"used_middle": 0.8, "runs": 0.6, "looks": -0.8},
        "segment": {"used_middle": 0.8, "runs": 0.6, "looks": -0.8},
    }
)
"""Where learning starts."""

LEARNT: Mapping[Kind, Weights] = MappingProxyType(
    {
        "file": {
            "absolute": 0.25,
            "changed": 0.13,
            "folder": -0.64,
            "gone": -0.07,
            "made": -0.96,
            "met_long": 0.32,
            "met_short": 0.52,
            "one": -4.42,
            "planned": 0.8,
            "results": 0.16,
            "spoken": 0.21,
            "used": 0.66,
            "used_long": 0.73,
            "used_middle": 0.15,
            "used_short": 0.11,
            "user": 0.09,
            "user_newest": 1.43,
            "user_recent": 0.63,
            "uses": 0.22,
        },
        "name": {
            "camel": 0.54,
            "email": -0.08,
            "hash": -0.08,
            "link": -0.11,
            "met_long": 1.55,
            "met_short": 0.24,
            "number": -0.13,
            "one": -5.58,
            "pascal": 0.28,
            "planned": 0.85,
            "snake": -0.12,
            "spoken": 0.43,
            "used": 0.64,
            "used_long": 0.66,
            "used_middle": 0.18,
            "used_short": 1.25,
            "user": -0.23,
            "user_newest": 1.64,
            "user_recent": -0.16,
            "uses": -0.26,
            "version": -0.21,
        },
        "command": {
            "again": 0.42,
            "chars": -0.46,
            "checks": 0.54,
            "looks": -0.89,
            "met_long": 0.22,
            "one": -3.6,
            "runs": 0.89,
            "spoken": 0.2,
            "used_long": 0.22,
            "used_middle": 0.96,
        },
        "segment": {
            "again": 0.5,
            "chars": -0.5,
            "checks": 0.23,
            "looks": -1.06,
            "met_long": 0.33,
            "one": -4.32,
            "runs": 1.25,
            "used": 0.05,
            "used_long": 0.32,
            "used_middle": 1.04,
            "used_short": 0.05,
        },
        "value": {
            "code": 0.8,
            "date": 0.23,
            "figure": -0.49,
            "identifying": 0.33,
            "met_short": 0.68,
            "one": -3.48,
            "siblings": -0.4,
            "spoken": 0.8,
            "used": 0.76,
            "used_long": 0.32,
            "used_middle": -0.15,
            "used_short": -0.09,
            "user": -0.11,
            "user_newest": 0.93,
            "user_recent": -0.09,
            "uses": -0.08,
            "word": -0.36,
            "words": -0.18,
        },
        "request": {
            "chars": -0.15,
            "met_long": 1.0,
            "runs": 0.3,
            "weight": 1.0,
        },
        "rule": {
            "chars": -0.15,
            "met_long": 1.0,
            "runs": 0.3,
            "weight": 1.0,
        },
        "decision": {
            "chars": -0.15,
            "met_long": 1.0,
            "runs": 0.3,
            "weight": 1.0,
        },
        "error": {
            "chars": -0.15,
            "met_long": 1.0,
            "runs": 0.3,
            "weight": 1.0,
        },
    }
)
"""What is used. Lines that somebody said are set by hand: nothing shows which of them were needed."""
