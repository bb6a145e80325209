"""Prices that a person keeps beside the database: fetched from the newest list, or set by hand, each with its date.

The file is JSON and small. What cannot be read in it is an error that names the file: a wrong price is worse than none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from palimpsest.budget.model_limits import canonical
from palimpsest.config.paths import person_file, person_folder
from palimpsest.errors import PalimpsestError, SettingsError, reason_of
from palimpsest.file_writing import write
from palimpsest.price.table import Kept, Price, find_price
from palimpsest.price.user_prices import use_kept
from palimpsest.record.spending import Rates

MAX_KEPT = 10_000
SET_BY_HAND = "set by hand"
FILE = "prices.json"
_MILLION = 1e6


class FetchError(PalimpsestError):
    """The newest list of prices cannot be had. Whoever asked may try again; the prices at hand still hold."""

    kind = "fetch"
    exit_code = 1
    retryable = True


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Prices in dollars a million tokens, for prompts above `above_tokens`."""

    input: float
    cached: float
    write: float
    output: float
    above_tokens: int = 0


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model as the file holds it. `date` is the day on which the prices were fetched or set, `since` the day from
    which on they hold, "" for always.
    """

    model: str
    date: str
    source: str
    lines: tuple[Line, ...]
    since: str = ""


def prices_file() -> Path:
    """Where kept prices lie: in the platform's data folder. Raises SettingsError where nobody has one."""
    return person_folder("data") / FILE


def read_rows(path: Path) -> list[Row]:
    """What is kept; [] where there is no file. Raises SettingsError."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise _out_of_reach("read", path, error) from error
    try:
        rows = msgspec.json.decode(data, type=list[Row])
        for row in rows:
            _checked(row)
    except (msgspec.MsgspecError, ValueError) as error:
        raise _unusable(path, str(error)) from error
    return rows


def _unusable(path: Path, reason: str) -> SettingsError:
    return SettingsError(f"the prices in {path} cannot be used: {reason}", hint="mend the file, or remove it")


def _out_of_reach(what: str, path: Path, error: OSError) -> SettingsError:
    return SettingsError(
        f"cannot {what} {path}: {reason_of(error)}", hint="check the permissions of the file and its folder"
    )


def _checked(row: Row) -> Row:
    """Raises ValueError for what is no price or no day."""
    if not row.lines or row.lines[0].above_tokens:
        raise ValueError(f"{row.model}: the first line of prices is that of every prompt")
    for line in row.lines:
        numbers = (line.input, line.cached, line.write, line.output)
        if not all(0 <= number < _MILLION for number in numbers) or line.above_tokens < 0:
            raise ValueError(f"{row.model}: a price is a number of dollars a million tokens")
    if row.since:
        _day_s(row.since)
    return row


def _day_s(day: str) -> float:
    return datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC).timestamp()


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Keep these rows, one for each model. Raises SettingsError."""
    by_name = {canonical(row.model): _checked(row) for row in rows}
    if len(by_name) > MAX_KEPT:
        raise SettingsError(f"more than {MAX_KEPT:,} models", hint="remove some of them")
    data = msgspec.json.format(msgspec.json.encode(list(by_name.values())), indent=2)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write(path, data + b"\n")
    except OSError as error:
        raise _out_of_reach("write", path, error) from error
    use_kept_prices()


def kept_prices() -> Mapping[str, Kept]:
    """What is kept, by the model's canonical name. Raises SettingsError."""
    file = person_file("data", FILE)
    return {canonical(row.model): _kept(row) for row in (read_rows(file) if file else ())}


def use_kept_prices() -> None:
    """Let kept prices count from now on in this process; the file is read when a price is first asked for."""
    use_kept(kept_prices)


def _kept(row: Row) -> Kept:
    first, *others = (_rates(line) for line in row.lines)
    starts = (line.above_tokens for line in row.lines[1:])
    price = Price(row.model, first, tuple(zip(starts, others, strict=True)), f"{row.source} on {row.date}")
    return Kept(price, _day_s(row.since) if row.since else 0.0)


def _rates(line: Line) -> Rates:
    return Rates(line.input, line.cached, line.write, line.output, ttl_s=0).scaled(1 / _MILLION)


def row_of(price: Price, *, day: str, source: str, since: str = "") -> Row:
    """A price as the file holds it."""
    lines = tuple(_line(start, rates.scaled(_MILLION)) for start, rates in ((0, price.rates), *price.tiers))
    return Row(price.model, day, source, lines, since)


def _line(start: int, rates: Rates) -> Line:
    """Rates in dollars a million tokens, without the dust of having been divided."""
    return Line(
        input=round(rates.input, 9),
        cached=round(rates.cached, 9),
        write=round(rates.write, 9),
        output=round(rates.output, 9),
        above_tokens=start,
    )


@dataclass(frozen=True, slots=True)
class Update:
    """What fetching brought: rows for the models that the newest list knows, and the names of the others."""

    rows: tuple[Row, ...]
    unknown: tuple[str, ...]


def fetch(models: Iterable[str], now_s: float, url: str = "") -> Update:
    """The prices of these models from the newest list of genai-prices, asked for at its own address unless `url` is
    given. Nothing is kept. Raises FetchError.
    """
    from genai_prices import UpdatePrices
    from genai_prices.data_snapshot import set_custom_snapshot

    updater = UpdatePrices(url=url) if url else UpdatePrices()
    try:
        snapshot = updater.fetch()
    except Exception as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise FetchError(
            f"no newer prices: {reason}", hint="try again later; the prices at hand hold"
        ) from error
    day = datetime.fromtimestamp(now_s, UTC).strftime("%Y-%m-%d")
    set_custom_snapshot(snapshot)
    use_kept(None)
    try:
        found = [find_price(model, time_s=now_s) for model in dict.fromkeys(models)]
    finally:
        set_custom_snapshot(None)
        use_kept_prices()
    listed = [one for one in found if not one.assumed and one.source.startswith("genai-prices")]
    rows = tuple(row_of(one, day=day, source="genai-prices, fetched", since=day) for one in listed)
    return Update(rows, tuple(one.model for one in found if one not in listed))
