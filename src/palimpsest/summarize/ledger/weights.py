"""What the features of a ledger's entries weigh, as `bench/train_survival.py` learnt it.

Rules kept here:

- Learning starts from weights that were measured on real compactions of other sessions, and moves away from them only
  as far as several projects agree.
- A plan names what comes next, and some files every project has. The sessions at hand hold too few of both to learn
  from: where these weights start is set by hand.
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
            "known": 1.0,
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
            "absolute": 0.39,
            "folder": -0.84,
            "gone": -0.17,
            "known": 0.9,
            "made": -0.11,
            "met_long": 1.02,
            "met_short": 0.71,
            "one": -5.05,
            "planned": 0.82,
            "results": 0.27,
            "used": 0.49,
            "used_long": 0.66,
            "used_middle": 0.17,
            "used_short": 0.15,
            "user": 0.05,
            "user_newest": 1.27,
            "user_recent": 0.6,
            "uses": 0.41,
        },
        "name": {
            "asked": 0.75,
            "branch": -0.37,
            "builtin": -0.1,
            "code": -0.44,
            "colour": -1.48,
            "email": -0.29,
            "hash": -0.9,
            "host": -0.31,
            "link": -1.43,
            "met_long": 1.62,
            "met_short": 0.18,
            "number": -1.31,
            "one": -6.02,
            "place_asked": 1.27,
            "place_used": 0.63,
            "planned": 0.87,
            "quantity": -1.87,
            "reread": 0.52,
            "results": -0.17,
            "snake": -0.44,
            "spoken": 0.29,
            "ticket": -0.26,
            "topic": 0.85,
            "upper": -0.15,
            "used": 1.03,
            "used_long": 0.43,
            "used_short": 1.1,
            "user_newest": 1.32,
            "uuid": -0.21,
            "version": -1.61,
        },
        "command": {
            "again": 0.59,
            "chars": -0.85,
            "checks": 1.09,
            "met_long": 0.32,
            "met_short": 0.08,
            "once": -1.62,
            "one": -3.76,
            "proposed": 1.0,
            "proposed_short": 1.0,
            "reads": -0.6,
            "routine": 1.14,
            "runs": 0.45,
            "searches": -3.09,
            "shortened": -3.0,
            "spoken": 0.26,
            "used_long": 0.32,
            "used_middle": 1.03,
            "used_short": 0.08,
        },
        "segment": {
            "again": 0.81,
            "chars": -0.92,
            "checks": 0.92,
            "met_long": 0.25,
            "once": -1.59,
            "one": -4.68,
            "proposed": 0.86,
            "proposed_short": 0.92,
            "reads": -1.38,
            "routine": 1.33,
            "runs": 0.92,
            "searches": -1.2,
            "used": 0.36,
            "used_long": 0.48,
            "used_middle": 1.15,
            "used_short": 0.08,
        },
        "value": {
            "code": 1.66,
            "date": 0.5,
            "figure": -0.35,
            "identifying": 0.07,
            "met_short": 0.64,
            "one": -3.74,
            "results": -0.05,
            "siblings": -0.42,
            "spoken": 0.72,
            "used": 0.67,
            "used_long": 0.19,
            "user_newest": 0.92,
            "word": -0.1,
            "words": -0.11,
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
        "remark": {
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
