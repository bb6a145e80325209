"""What the features of a ledger's entries weigh, by kind, as `bench/train_survival.py` learnt it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from palimpsest.summarize.ledger.entries import Kind

Weights = Mapping[str, float]


@cache
def learnt() -> Mapping[Kind, Weights]:
    """The weights that are used."""
    text = files("palimpsest.summarize.ledger").joinpath("weights.json").read_text(encoding="utf-8")
    found: dict[Kind, dict[str, float]] = json.loads(text)
    return found
