"""The optional library adds what it is sure of, and without it, or where it fails, our own patterns find secrets."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from bench.secret_specimens import LOOKALIKES
from bench.secret_unseen import UNSEEN_LOOKALIKES
from palimpsest.summarize.secrets import scanner
from palimpsest.summarize.secrets.redact import redact

needs_library = pytest.mark.skipif(
    find_spec(scanner.LIBRARY) is None, reason="the extra `secrets` is not installed"
)


@pytest.fixture(autouse=True)
def _afresh() -> Iterator[None]:
    scanner._scanners.cache_clear()
    yield
    scanner._scanners.cache_clear()


@needs_library
def test_the_library_finds_a_key_in_its_place() -> None:
    text = f"é use ghp_{'aZ4kQ9xT2mB7wE1r' * 3}"[:46]
    (span,) = scanner.scanned(text)
    assert text[slice(*span)].startswith("ghp_")


@needs_library
@pytest.mark.parametrize("line", [*LOOKALIKES, *UNSEEN_LOOKALIKES])
def test_the_library_is_sure_of_nothing_that_only_looks_like_a_secret(line: str) -> None:
    assert list(scanner.scanned(line)) == []


@pytest.mark.parametrize("library", ["no_such_library_here", "tests.summarize.secrets.failing_library"])
def test_without_the_library_our_own_patterns_find_secrets(
    library: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(scanner, "LIBRARY", library)
    with caplog.at_level(logging.WARNING):
        for number in range(3):
            assert redact(f"DB_PASSWORD=vX9kd02Lq{number}").startswith("DB_PASSWORD=[secret:")
    assert len(caplog.records) == (library != "no_such_library_here")
    assert "vX9kd02Lq" not in caplog.text
