"""The optional library adds what it is sure of, and without it, or where it fails, our own patterns find secrets."""

from __future__ import annotations

import logging
from importlib.util import find_spec

import pytest

from bench.secret_specimens import LOOKALIKES
from bench.secret_unseen import UNSEEN_LOOKALIKES
from palimpsest.redaction import detector

needs_library = pytest.mark.skipif(
    find_spec(detector.LIBRARY) is None, reason="the extra `secrets` is not installed"
)


@needs_library
def test_the_library_finds_a_key_in_its_place() -> None:
    text = f"é use ghp_{'aZ4kQ9xT2mB7wE1r' * 3}"[:46]
    (span,) = detector.scanned(text)
    assert text[slice(*span)].startswith("ghp_")


@needs_library
@pytest.mark.parametrize("line", [*LOOKALIKES, *UNSEEN_LOOKALIKES])
def test_the_library_is_sure_of_nothing_that_only_looks_like_a_secret(line: str) -> None:
    assert detector.scanned(line) == []


@pytest.mark.parametrize(
    "library, lines", [("no_such_library_here", 0), ("tests.redaction.failing_library", 1)]
)
def test_a_library_that_is_absent_or_fails_finds_nothing_and_is_logged_once(
    library: str, lines: int, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        found = [detector.scanned(f"DB_PASSWORD=vX9kd02Lq{number}", library) for number in range(3)]
    assert found == [[], [], []]
    assert len(caplog.records) == lines
    assert "vX9kd02Lq" not in caplog.text
