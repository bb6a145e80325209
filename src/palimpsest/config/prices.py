"""Prices that the user keeps in the data folder: fetched from the newest price list, or set by hand.

The file is small and JSON. Anything unreadable in it is an error that names the file, because a wrong price is worse
than none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from palimpsest.budget.model_limits import canonical
from palimpsest.config.paths import user_folder, user_path
from palimpsest.errors import PalimpsestError, SettingsError, reason_of
from palimpsest.file_writing import write
from palimpsest.price.rates import Price, set_user_prices
from palimpsest.price.table import find_price, forget_prices
from palimpsest.record.spending import Rates

MAX_MODELS = 10_000
SET_BY_HAND = "set by hand"
FILE = "prices.json"
_MILLION = 1e6


class FetchError(PalimpsestError):
    """The newest price list cannot be fetched. The prices at hand still apply; the caller can try again."""

    kind = "fetch"
    exit_code = 1
    retryable = True


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Prices in dollars per million tokens, for prompts above `above_tokens`."""

    input: float
    cached: float
    write: float
    output: float
    above_tokens: int = 0


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model in the file. `date` is the day on which the prices were fetched or set, `since` the day from which on
    they apply, "" for always.
    """

    model: str
    date: str
    source: str
    lines: tuple[Line, ...]
    since: str = ""


def prices_file() -> Path:
    """The path of the user's prices. Raises SettingsError without a home folder."""
    return user_folder("data") / FILE


def read_rows(path: Path) -> list[Row]:
    """The user's prices; [] if there is no file. Raises SettingsError."""
    try:
        rows = msgspec.json.decode(path.read_bytes(), type=list[Row])
        for row in rows:
            _check(row)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise _access_error("read", path, error) from error
    except (msgspec.MsgspecError, ValueError) as error:
        raise SettingsError(
            f"the prices in {path} cannot be used: {error}", hint="correct the file, or remove it"
        ) from error
    return rows


def _access_error(action: str, path: Path, error: OSError) -> SettingsError:
    return SettingsError(
        f"cannot {action} {path}: {reason_of(error)}", hint="check the permissions of the file and its folder"
    )


def _check(row: Row) -> None:
    """Raises ValueError for an impossible price or date."""
    if not row.lines or row.lines[0].above_tokens:
        raise ValueError(f"{row.model}: the first line must have the prices of every prompt")
    for line in row.lines:
        numbers = (line.input, line.cached, line.write, line.output)
        if not all(0 <= number < _MILLION for number in numbers) or line.above_tokens < 0:
            raise ValueError(f"{row.model}: a price is a number of dollars per million tokens")
    _since_s(row)


def _since_s(row: Row) -> float:
    """The first day of a row's prices, as seconds since 1970."""
    return datetime.strptime(row.since, "%Y-%m-%d").replace(tzinfo=UTC).timestamp() if row.since else 0.0


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write the prices, the last row of each model. Raises SettingsError."""
    by_name = {canonical(row.model): row for row in rows}
    for row in by_name.values():
        _check(row)
    if len(by_name) > MAX_MODELS:
        raise SettingsError(f"more than {MAX_MODELS:,} models", hint="remove some of them")
    data = msgspec.json.format(msgspec.json.encode(list(by_name.values())), indent=2)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write(path, data + b"\n")
    except OSError as error:
        raise _access_error("write", path, error) from error
    use_kept_prices()


def kept_prices() -> Mapping[str, Price]:
    """The user's prices, by canonical model name. Raises SettingsError."""
    file = user_path("data", FILE)
    return {canonical(row.model): _price(row) for row in (read_rows(file) if file else ())}


def use_kept_prices() -> None:
    """Use the user's prices in this process. The file is read when a price is first needed."""
    set_user_prices(kept_prices)


def _price(row: Row) -> Price:
    first, *others = (
        Rates(line.input, line.cached, line.write, line.output, ttl_s=0).scaled(1 / _MILLION)
        for line in row.lines
    )
    tiers = tuple(zip((line.above_tokens for line in row.lines[1:]), others, strict=True))
    return Price(row.model, first, tiers, f"{row.source} on {row.date}", since_s=_since_s(row))


def row_of(price: Price, *, day: str, source: str, since: str = "") -> Row:
    """A price as a row of the file."""
    lines = tuple(_line(start, rates.scaled(_MILLION)) for start, rates in ((0, price.rates), *price.tiers))
    return Row(price.model, day, source, lines, since)


def _line(start: int, rates: Rates) -> Line:
    """Rates in dollars per million tokens, without rounding errors of the division."""
    numbers = (rates.input, rates.cached, rates.write, rates.output)
    return Line(*(round(number, 9) for number in numbers), above_tokens=start)


def fetch(models: Iterable[str], now_s: float, url: str = "") -> tuple[list[Row], list[str]]:
    """(rows of the models that the newest price list has, names of the others). The list of genai-prices is fetched
    from its own address, or from `url`; nothing is written. Raises FetchError.
    """
    from genai_prices import UpdatePrices
    from genai_prices.data_snapshot import set_custom_snapshot

    updater = UpdatePrices(url=url) if url else UpdatePrices()
    try:
        snapshot = updater.fetch()
    except Exception as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise FetchError(
            f"cannot fetch newer prices: {reason}", hint="try again later; the prices at hand still apply"
        ) from error
    day = datetime.fromtimestamp(now_s, UTC).strftime("%Y-%m-%d")
    set_custom_snapshot(snapshot)
    set_user_prices(None)
    forget_prices()
    try:
        found = [find_price(model, time_s=now_s) for model in dict.fromkeys(models)]
    finally:
        set_custom_snapshot(None)
        use_kept_prices()
        forget_prices()
    listed = [one for one in found if not one.assumed and one.source.startswith("genai-prices")]
    rows = [row_of(one, day=day, source="genai-prices, fetched", since=day) for one in listed]
    return rows, [one.model for one in found if one not in listed]
