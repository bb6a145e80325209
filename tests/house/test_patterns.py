"""Expressions that are compiled at their first use are held to what a compiled one shows at once: that it can be."""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module

import pytest

import palimpsest
from palimpsest.lazy_regex import later
from tests.house.tree import python_files


def _kept_for_later() -> dict[str, re.Pattern[str]]:
    kept: dict[str, re.Pattern[str]] = {}
    for found in pkgutil.walk_packages(palimpsest.__path__, "palimpsest."):
        if found.name != "palimpsest.__main__" and not found.name.startswith("palimpsest.integrations."):
            for name, value in vars(import_module(found.name)).items():
                if type(value) is type(later("")):
                    kept[f"{found.name}.{name}"] = value
    return kept


def test_every_expression_of_the_package_can_be_compiled() -> None:
    kept = _kept_for_later()
    assert len(kept) > 200
    assert all(one.groups >= 0 for one in kept.values())


def test_no_group_is_repeated_possessively() -> None:
    possessive = re.compile(r"(?<!\\)\)(?:[*+?]|\{\d*,?\d*\})\+|\(\?>")
    assert possessive.search(r"(?:\w+ ){1,9}+")
    texts = {path.name: path.read_text(encoding="utf-8") for path in python_files("src")}
    texts |= {name: str(one.pattern) for name, one in _kept_for_later().items()}
    assert [name for name, text in texts.items() if possessive.search(text)] == []


def test_what_is_compiled_later_matches_as_what_is_compiled_now() -> None:
    now, first = (
        re.compile(r"(?P<head>[a-z]+)-(\d+)", re.IGNORECASE),
        later(r"(?P<head>[a-z]+)-(\d+)", re.IGNORECASE),
    )
    text = "see AB-12 and cd-3"
    assert (first.pattern, first.flags, first.groupindex) == (now.pattern, now.flags, now.groupindex)
    assert [one.span() for one in first.finditer(text)] == [one.span() for one in now.finditer(text)]
    assert first.sub("-", text) == now.sub("-", text)
    assert first.findall(text, 4, 9) == now.findall(text, 4, 9)


def test_a_fault_of_an_expression_shows_when_it_is_first_used() -> None:
    broken = later("(")
    with pytest.raises(re.error, match=r"missing \)"):
        broken.search("")
