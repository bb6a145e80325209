"""Every adapter is tested with its framework, and refuses versions of it that are not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import UsageError
from palimpsest.integrations.shared.hosting import check_version, require
from tests.house.tree import ROOT
from tests.integrations.environments import EXTRAS, TABLE, requirements
from tests.integrations.suite import WITHOUT_DRIVER

ADAPTERS = sorted(
    path.stem
    for path in (ROOT / "src" / "palimpsest" / "integrations").glob("*.py")
    if path.stem != "__init__"
)
DRIVERS = sorted(path.stem for path in (Path(__file__).parent / "drivers").glob("*.py"))
REQUIRED = re.compile(r'^require\("([\w-]+)", "([\d.]+)", "([\d.]+)", extra="([\w-]+)"\)$', re.MULTILINE)
HINT = "install palimpsest[langchain]"
VERSIONS = st.tuples(*[st.integers(0, 12)] * 3)


def refusal(found: str, least: str = "1.0", below: str = "2") -> str:
    """Why a version is refused, "" if it is not."""
    try:
        check_version("langchain", found, least, below, HINT)
    except UsageError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_adapter_has_an_environment_a_driver_and_an_extra_of_the_versions_it_takes(name: str) -> None:
    source = (ROOT / "src" / "palimpsest" / "integrations" / f"{name}.py").read_text(encoding="utf-8")
    ranges = REQUIRED.findall(source)
    assert name in TABLE
    assert (name in DRIVERS) != (name in WITHOUT_DRIVER)
    assert [extra.replace("-", "_") for _, _, _, extra in ranges] == [name] * len(ranges)
    taken = {f"{package}>={least},<{below}" for package, least, below, _ in ranges}
    assert taken
    assert {re.sub(r"\[.*?\]", "", one) for one in EXTRAS[name]} >= taken


@pytest.mark.parametrize("name", sorted(name for name in TABLE if name != "common"))
def test_an_environment_has_a_driver_and_installs_palimpsest_with_what_tests_need(name: str) -> None:
    needed = requirements(name)
    assert (name in DRIVERS) != (name in WITHOUT_DRIVER)
    assert needed[:2] in (["--editable", f".[tokens,{name}]"], ["--editable", ".[tokens]"])
    assert [one for one in needed if one.startswith("pytest>")]


@given(VERSIONS, VERSIONS, VERSIONS, st.sampled_from(["", "rc1", ".post1", ".dev3", "b2"]))
def test_a_version_is_taken_if_it_lies_in_the_range(
    found: tuple[int, ...], least: tuple[int, ...], below: tuple[int, ...], ending: str
) -> None:
    versions = [".".join(map(str, one)) for one in (found, least, below)]
    said = refusal(versions[0] + ending, *versions[1:])
    assert (said == "") == (least <= found < below)


@pytest.mark.parametrize("found", ["0.9.9", "2.0", "2.0.0rc1", "3", "", "main", "x.y"])
def test_a_version_outside_the_range_is_refused_with_what_to_install(found: str) -> None:
    assert f"langchain {found} is not supported" in refusal(found)
    assert HINT in refusal(found)


def test_a_framework_that_is_not_installed_is_named_with_what_to_install() -> None:
    with pytest.raises(UsageError, match="harbour-agents is not installed") as caught:
        require("harbour-agents", "1.0", "2", extra="harbour")
    assert "install palimpsest[harbour], which brings harbour-agents>=1.0,<2" in str(caught.value)
