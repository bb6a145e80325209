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
            "place_used": 0.5,
            "place_asked": 0.8,
            "builtin": -0.5,
            "quantity": -1.7,
        },
        "value": {"used": 1.0, "used_long": 0.5, "spoken": 0.7, "user_newest": 1.0, "met_short": 1.0},
        "command": {
            "used_middle": 0.8,
            "runs": 0.6,
            "reads": -0.5,
            "searches": -3.0,
            "shortened": -3.0,
            "once": -1.5,
            "routine": 1.0,
            "checks": 0.7,
            "chars": -0.6,
            "again": 0.5,
            "proposed": 1.0,
            "proposed_short": 1.0,
        },
        "segment": {
            "used_middle": 0.8,
            "runs": 0.6,
            "reads": -1.2,
            "searches": -1.2,
            "once": -1.5,
            "routine": 1.0,
            "checks": 0.7,
            "chars": -0.6,
            "again": 0.5,
            "proposed": 1.0,
            "proposed_short": 1.0,
        },
    }
)
"""Where learning starts."""

LEARNT: Mapping[Kind, Weights] = MappingProxyType(
    {
        "file": {
            "absolute": 0.4,
            "changed": 0.3,
            "folder": -0.83,
            "gone": -0.21,
            "made": -0.11,
            "met_long": 1.01,
            "met_short": 0.69,
            "one": -4.99,
            "planned": 0.82,
            "results": 0.23,
            "used": 0.44,
            "used_long": 0.65,
            "used_middle": 0.18,
            "used_short": 0.15,
            "user": 0.05,
            "user_newest": 1.26,
            "user_recent": 0.61,
            "uses": 0.37,
        },
        "name": {
            "asked": 0.72,
            "branch": -0.35,
            "builtin": -0.13,
            "code": -0.61,
            "email": -0.32,
            "hash": -1.08,
            "host": -0.58,
            "link": -1.43,
            "met_long": 1.63,
            "met_short": 0.2,
            "number": -1.52,
            "one": -5.8,
            "place_asked": 1.28,
            "place_used": 0.65,
            "planned": 0.86,
            "quantity": -1.88,
            "spoken": 0.09,
            "ticket": -0.67,
            "topic": 0.9,
            "upper": -0.14,
            "used": 0.77,
            "used_long": 0.41,
            "used_short": 1.12,
            "user_newest": 1.28,
            "uuid": -0.26,
            "version": -1.75,
        },
        "command": {
            "again": 0.66,
            "chars": -1.07,
            "checks": 1.15,
            "met_long": 0.35,
            "met_short": 0.08,
            "once": -1.57,
            "one": -3.82,
            "proposed": 1.0,
            "proposed_short": 1.0,
            "reads": -0.56,
            "routine": 0.98,
            "runs": 0.47,
            "searches": -3.08,
            "spoken": 0.26,
            "used_long": 0.35,
            "used_middle": 1.05,
            "used_short": 0.08,
        },
        "segment": {
            "again": 0.82,
            "chars": -0.91,
            "checks": 0.94,
            "met_long": 0.31,
            "once": -1.53,
            "one": -4.72,
            "proposed": 0.91,
            "proposed_short": 0.94,
            "reads": -1.36,
            "routine": 1.38,
            "runs": 0.95,
            "searches": -1.17,
            "used": 0.27,
            "used_long": 0.46,
            "used_middle": 1.14,
            "used_short": 0.08,
        },
        "value": {
            "code": 1.67,
            "date": 0.51,
            "figure": -0.34,
            "identifying": 0.08,
            "met_short": 0.65,
            "one": -3.78,
            "siblings": -0.43,
            "spoken": 0.72,
            "used": 0.66,
            "used_long": 0.19,
            "user_newest": 0.92,
            "word": -0.09,
            "words": -0.13,
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
