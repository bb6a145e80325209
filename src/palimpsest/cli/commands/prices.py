"""`palimpsest prices`: what models cost and where the prices come from; keep newer or other prices."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

from palimpsest.budget.model_limits import canonical
from palimpsest.cli.drawing import Listing, clean, count
from palimpsest.cli.options import Shared, command
from palimpsest.cli.output import Block, Output, fields_of, make_output
from palimpsest.cli.parameters import argument, option
from palimpsest.cli.session import Session, perform
from palimpsest.errors import UsageError
from palimpsest.price.table import TABLE_DATE, find_price
from palimpsest.record.spending import Rates

if TYPE_CHECKING:
    from palimpsest.config.prices import Line, Row

MOST_DOLLARS = 1e6
_FIELDS = {"input": "input", "cached": "cached", "written": "write", "output": "output"}
_SET_HINT = "--set input=3,cached=0.3,written=3.75,output=15 (dollars a million tokens)"
_HOUR_S = 3_600


@command("prices")
def prices(
    shared: Shared,
    models: Annotated[list[str] | None, argument("[MODEL]...", "Models, as you call them.")] = None,
    update: Annotated[
        bool, option("--update", "Fetch today's prices of these models, and keep them.")
    ] = False,
    url: Annotated[str, option("--from URL", "Fetch from this address.")] = "",
    set_: Annotated[
        str, option("--set PRICES", "Keep other prices of the model: input=3,cached=0.3,...")
    ] = "",
    remove: Annotated[bool, option("--remove", "Remove the kept prices of these models.")] = False,
) -> None:
    """Show what models cost.

    In dollars per million tokens, with the source of the prices. Without a name: the models that were called, and those
    with kept prices. Only --update uses the network.

    \b
    palimpsest prices claude-sonnet-4-5 gpt-5
    palimpsest prices --update
    palimpsest prices my-gateway/fast --set input=0.8,cached=0.08,written=0.8,output=4
    """
    if sum((update, bool(set_), remove)) > 1:
        raise UsageError("--update, --set and --remove exclude one another", hint="give one of them")
    if (set_ or remove) and not models:
        raise UsageError("no model is named", hint=f"palimpsest prices MODEL {_SET_HINT}")

    def change_and_show(output: Output, names: Sequence[str]) -> None:
        if update:
            _update(output, names, url)
        elif set_:
            line, day = _read_line(set_), datetime.now(UTC).strftime("%Y-%m-%d")
            _change(lambda rows: [*rows, *(_row(name, day, line) for name in names)])
        elif remove:
            removed = {canonical(name) for name in names}
            _change(lambda rows: [row for row in rows if canonical(row.model) not in removed])
        output.result(_output_fields(names), *_blocks(names))

    if models:
        output = make_output(shared.command, as_json=shared.as_json)
        change_and_show(output, models)
        output.flush()
        return

    async def body(session: Session) -> None:
        paid = [one.model for one in await session.engine.store.spending(shared.owner) if one.model]
        change_and_show(session.output, list(dict.fromkeys((*paid, *(kept.model for kept in _rows())))))

    perform(shared, body)


def _rows() -> list[Row]:
    from palimpsest.config.prices import prices_file, read_rows

    return read_rows(prices_file())


def _change(change: Callable[[list[Row]], Sequence[Row]]) -> None:
    from palimpsest.config.prices import prices_file, write_rows

    write_rows(prices_file(), change(_rows()))


def _row(name: str, day: str, line: Line) -> Row:
    from palimpsest.config.prices import SET_BY_HAND, Row

    return Row(name, day, SET_BY_HAND, (line,))


def _update(output: Output, names: Sequence[str], url: str) -> None:
    """Fetch and keep the prices of these models, except those set by hand. Raises FetchError, UsageError."""
    from palimpsest.config.prices import SET_BY_HAND, fetch

    if not names:
        raise UsageError("no model is named", hint="palimpsest prices MODEL --update")
    own = {canonical(row.model) for row in _rows() if row.source == SET_BY_HAND}
    wanted = [name for name in names if canonical(name) not in own]
    found, unknown = fetch(wanted, time.time(), url)
    _change(lambda rows: [*rows, *found])
    output.note(f"fetched the prices of {count(len(found), 'model')}")
    for name in unknown:
        output.note(f"{clean(name)}: not in the newest list")
    for name in names:
        if canonical(name) in own:
            output.note(f"{clean(name)}: set by hand and unchanged; --remove it first")


def _read_line(given: str) -> Line:
    """The prices in "input=3,cached=0.3,written=3.75,output=15". A missing cache price is that of input. Raises
    UsageError.
    """
    from palimpsest.config.prices import Line

    found: dict[str, float] = {}
    for one in given.split(","):
        name, _, value = one.partition("=")
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if name.strip() not in _FIELDS or not 0 <= number < MOST_DOLLARS:
            raise UsageError(f"cannot read the price {one!r}", hint=_SET_HINT)
        found[_FIELDS[name.strip()]] = number
    if "input" not in found or "output" not in found:
        raise UsageError("the prices of input and output are needed", hint=_SET_HINT)
    plain = found["input"]
    return Line(plain, found.get("cached", plain), found.get("write", plain), found["output"])


def _output_fields(names: Sequence[str]) -> dict[str, object]:
    import genai_prices

    kept = {canonical(row.model): row.date for row in _rows()}
    return {
        "list": f"genai-prices {genai_prices.__version__}",
        "cache_table": TABLE_DATE,
        "models": [
            {
                "model": name,
                **_per_million(price.rates),
                **fields_of(price.rates, "ttl_s minimum_tokens step_tokens"),
                "tiers": [{"above_tokens": start, **_per_million(rates)} for start, rates in price.tiers],
                **fields_of(price, "source assumed"),
                "kept": kept.get(canonical(name), ""),
            }
            for name in names
            for price in (find_price(name),)
        ],
    }


def _per_million(rates: Rates) -> dict[str, float]:
    """The four prices in dollars per million tokens."""
    million = rates.scaled(1e6)
    return {name: round(getattr(million, attribute), 9) for name, attribute in _FIELDS.items()}


def _blocks(names: Sequence[str]) -> list[Block]:
    if not names:
        return ["no model was called yet: palimpsest prices MODEL"]
    rows: list[tuple[str, ...]] = []
    assumed: list[str] = []
    for name in names:
        price = find_price(name)
        assumed += [clean(name)] * price.assumed
        rows.append((clean(name), *_cells(price.rates), _lifetime(price.rates.ttl_s), price.source))
        rows.extend((f"  above {start:,}", *_cells(rates), "", "") for start, rates in price.tiers)
    headings = ("model", "input", "cached", "written", "output", "lives", "from")
    blocks: list[Block] = [Listing(headings, tuple(rows), frozenset(headings[1:6]))]
    if assumed:
        blocks.extend(("", f"no list has {', '.join(assumed)}: the prices are an assumption; {_SET_HINT}"))
    return blocks


def _lifetime(seconds: float) -> str:
    return f"{seconds / 60:,.0f} min" if seconds < _HOUR_S else f"{seconds / _HOUR_S:,.0f} h"


def _cells(rates: Rates) -> tuple[str, ...]:
    return tuple(f"{round(number, 6):g}" for number in _per_million(rates).values())
