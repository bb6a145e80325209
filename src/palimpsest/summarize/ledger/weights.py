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
            "asked": 0.8,
            "topic": 0.8,
            "builtin": -0.5,
        },
        "value": {"used": 1.0, "used_long": 0.5, "spoken": 0.7, "user_newest": 1.0, "met_short": 1.0},
        "command": {
            "used_middle": 0.8,
            "runs": 0.6,
            "looks": -1.2,
            "once": -1.5,
            "routine": 1.0,
            "checks": 0.7,
            "chars": -0.6,
            "again": 0.5,
            "proposed": 1.0,
        },
        "segment": {
            "used_middle": 0.8,
            "runs": 0.6,
            "looks": -1.2,
            "once": -1.5,
            "routine": 1.0,
            "checks": 0.7,
            "chars": -0.6,
            "again": 0.5,
            "proposed": 1.0,
        },
    }
)
"""Where learning starts."""

LEARNT: Mapping[Kind, Weights] = MappingProxyType(
    {
        "file": {
            "absolute": 0.31,
            "changed": 0.21,
            "folder": -0.47,
            "gone": -0.09,
            "made": -0.85,
            "met_long": 0.57,
            "met_short": 0.57,
            "one": -4.92,
            "planned": 0.8,
            "results": 0.29,
            "spoken": 0.08,
            "used": 0.7,
            "used_long": 0.75,
            "used_middle": 0.15,
            "used_short": 0.11,
            "user_newest": 1.41,
            "user_recent": 0.6,
            "uses": 0.27,
        },
        "name": {
            "asked": 0.88,
            "builtin": -0.1,
            "camel": 0.38,
            "hash": -0.08,
            "link": -0.14,
            "met_long": 1.62,
            "met_short": 0.18,
            "number": -0.17,
            "one": -5.7,
            "pascal": 0.16,
            "planned": 0.85,
            "results": 0.05,
            "snake": -0.19,
            "spoken": 0.33,
            "ticket": -0.06,
            "topic": 0.88,
            "used": 0.83,
            "used_long": 0.52,
            "used_short": 1.17,
            "user": -0.29,
            "user_newest": 1.54,
            "user_recent": -0.27,
            "uses": -0.23,
            "version": -0.2,
        },
        "command": {
            "again": 0.62,
            "chars": -0.91,
            "checks": 1.01,
            "looks": -1.33,
            "met_long": 0.25,
            "met_short": 0.06,
            "once": -1.54,
            "one": -3.78,
            "proposed": 1.0,
            "routine": 0.97,
            "runs": 0.55,
            "spoken": 0.19,
            "used_long": 0.25,
            "used_middle": 0.98,
            "used_short": 0.06,
        },
        "segment": {
            "again": 0.75,
            "chars": -0.79,
            "checks": 0.84,
            "looks": -1.28,
            "met_long": 0.23,
            "once": -1.53,
            "one": -4.39,
            "proposed": 0.96,
            "routine": 1.25,
            "runs": 0.94,
            "used": 0.17,
            "used_long": 0.31,
            "used_middle": 1.04,
            "used_short": 0.06,
        },
        "value": {
            "code": 0.8,
            "date": 0.23,
            "figure": -0.49,
            "identifying": 0.32,
            "met_short": 0.67,
            "one": -3.45,
            "results": -0.05,
            "siblings": -0.4,
            "spoken": 0.8,
            "used": 0.78,
            "used_long": 0.32,
            "used_middle": -0.15,
            "used_short": -0.1,
            "user": -0.11,
            "user_newest": 0.93,
            "user_recent": -0.09,
            "uses": -0.08,
            "word": -0.35,
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
