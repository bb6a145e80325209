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
            "absolute": 0.05,
            "changed": 0.26,
            "folder": -0.99,
            "gone": -0.7,
            "known": 1.09,
            "made": -1.41,
            "met_long": 1.22,
            "met_short": 0.74,
            "one": -5.32,
            "planned": 0.91,
            "reread": 0.39,
            "results": 0.23,
            "used": 0.94,
            "used_long": 0.82,
            "user": 0.11,
            "user_newest": 0.92,
            "user_recent": 0.57,
            "uses": 0.34,
        },
        "name": {
            "address": -0.12,
            "asked": 0.93,
            "branch": -1.02,
            "code": -0.91,
            "colour": -1.9,
            "email": -0.57,
            "hash": -1.18,
            "host": -0.74,
            "id": -1.52,
            "link": -2.34,
            "met_long": 2.09,
            "met_short": 0.19,
            "number": -0.71,
            "one": -6.17,
            "place_asked": 0.76,
            "place_used": 0.4,
            "planned": 0.96,
            "port": -0.1,
            "quantity": -2.14,
            "reread": 0.45,
            "results": -0.07,
            "snake": -0.6,
            "spoken": 0.29,
            "ticket": -0.46,
            "topic": 0.89,
            "upper": -0.35,
            "used": 1.18,
            "used_short": 0.93,
            "user_newest": 0.79,
            "uuid": -0.66,
            "version": -2.5,
        },
        "command": {
            "again": 0.62,
            "chars": -1.04,
            "checks": 1.04,
            "met_long": 0.38,
            "met_short": 0.1,
            "once": -1.6,
            "one": -4.05,
            "proposed": 1.0,
            "proposed_short": 1.0,
            "reads": -0.46,
            "routine": 1.14,
            "runs": 0.66,
            "searches": -3.11,
            "shortened": -3.0,
            "spoken": 0.41,
            "used_long": 0.38,
            "used_middle": 1.1,
            "used_short": 0.1,
        },
        "segment": {
            "again": 0.91,
            "chars": -1.03,
            "checks": 1.03,
            "met_long": 0.28,
            "met_short": 0.07,
            "once": -1.47,
            "one": -4.64,
            "proposed": 0.9,
            "proposed_short": 0.95,
            "reads": -1.47,
            "routine": 1.37,
            "runs": 0.81,
            "searches": -1.52,
            "used": 0.23,
            "used_long": 0.45,
            "used_middle": 1.21,
            "used_short": 0.15,
        },
        "value": {
            "code": 1.7,
            "date": 0.52,
            "figure": -0.33,
            "identifying": 0.09,
            "met_short": 0.69,
            "one": -3.86,
            "siblings": -0.45,
            "spoken": 0.71,
            "used": 0.62,
            "used_long": 0.18,
            "user_newest": 0.92,
            "word": -0.13,
            "words": -0.11,
        },
    }
)
"""What is used."""
