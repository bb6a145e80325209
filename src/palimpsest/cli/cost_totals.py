"""What an owner's calls cost so far, by model: as JSON fields, and as a table. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.cli.cost_tables import amount, signed
from palimpsest.cli.output import Block
from palimpsest.cli.text_drawing import Listing, clean, count
from palimpsest.record.spending import Spending, dollars


def total_fields(owner: str, found: Sequence[Spending]) -> dict[str, object]:
    """What an owner's calls cost so far, for each model and kind, and over all."""
    return {
        "owner": owner,
        "conversations": [],
        "total": sum(one.cost for one in found),
        "models": [
            {
                "model": model,
                "kind": kind,
                "conversations": len({one.conversation for one in group}),
                "calls": sum(one.calls for one in group),
                "input_tokens": sum(one.input_tokens for one in group),
                "cached_tokens": sum(one.cached_tokens for one in group),
                "written_tokens": sum(one.written_tokens for one in group),
                "output_tokens": sum(one.output_tokens for one in group),
                "cost": sum(one.cost for one in group),
                "uncompacted": sum(one.never_cost for one in group) if kind == "reply" else 0.0,
                "units": sum(one.units for one in group),
                "assumed": any(one.assumed for one in group),
            }
            for (model, kind), group in _by_model(found).items()
        ],
    }


def _by_model(found: Sequence[Spending]) -> dict[tuple[str, str], list[Spending]]:
    groups: dict[tuple[str, str], list[Spending]] = {}
    for one in found:
        groups.setdefault((one.model, one.kind), []).append(one)
    return dict(sorted(groups.items()))


def total_blocks(owner: str, found: Sequence[Spending], stored: int) -> list[Block]:
    """The same for a person. `stored` counts the owner's conversations."""
    if not found:
        hint = (
            "palimpsest cost --all reads what their transcripts report"
            if stored
            else "palimpsest cost PATH reads transcripts"
        )
        return [f"no call was paid for here yet ({count(stored, 'conversation')}); {hint}"]
    rows = tuple(
        (
            clean(model) or "(unnamed)",
            kind,
            f"{sum(one.calls for one in group):,}",
            f"{sum(one.input_tokens for one in group):,}",
            f"{sum(one.output_tokens for one in group):,}",
            amount(sum(one.cost for one in group), sum(one.units for one in group)),
            dollars(never) if (never := sum(one.never_cost for one in group)) else "",
            "assumed" if any(one.assumed for one in group) else "",
        )
        for (model, kind), group in _by_model(found).items()
    )
    headings = ("model", "kind", "calls", "input", "output", "cost", "uncompacted", "prices")
    cost, never = sum(one.cost for one in found), sum(one.never_cost for one in found)
    talks = count(len({one.conversation for one in found}), "conversation")
    line = f"{clean(owner)}: {talks}, {dollars(cost)}; compactions and gates: {signed(cost - never)}"
    return [Listing(headings, rows, frozenset(headings[2:7])), "", line]
