"""Fuzzing guided by coverage, with atheris (`pip install atheris`): bytes that reach new code are kept, and changed on.

    python -m bench.trust.parsers --guided transcripts|queries|loose|dicts --seconds S

What was found before is not kept: each run begins from the specimens. The first crash ends the run and is printed.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from bench.trust import specimens
from palimpsest.errors import FormatError, SettingsError, UsageError
from palimpsest.formats.transcripts import Source, read
from palimpsest.record.chain import heads

MAX_BYTES = 8_192
PACKAGES = {
    "transcripts": "palimpsest.formats.transcripts", "dicts": "palimpsest.formats", "queries": "palimpsest.search",
    "loose": "palimpsest.config.json5_yaml",
}  # fmt: skip


def read_transcript(name: str, data: bytes, form: str | None = None) -> None:
    """Read it, and chain what was read."""
    for found in read(Source(name, data), form).transcripts:
        for path in found.paths:
            heads(path)


def targets() -> dict[str, tuple[Callable[[bytes], object], tuple[type[BaseException], ...], list[bytes]]]:
    """(what is done with bytes, what it may raise, what to begin from) by name."""
    from palimpsest.config.json5_yaml import read_loose_json, read_yaml
    from palimpsest.formats import parse_any
    from palimpsest.search.query_grammar import parse

    def text(data: bytes) -> str:
        return data.decode("utf-8", "surrogateescape")

    def loose(data: bytes) -> None:
        read_yaml(text(data))
        read_loose_json(text(data))

    def dicts(data: bytes) -> None:
        parse_any(json.loads(data))

    documents = [json.dumps(one).encode() for one in specimens.DOCUMENTS.values()]
    return {
        "transcripts": (
            lambda data: read_transcript("session.jsonl", data), (FormatError,),
            [*documents, *(specimens.lines(name) for name in specimens.TRANSCRIPTS)],
        ),
        "queries": (lambda data: parse(text(data)), (UsageError,), [one.encode() for one in specimens.QUERIES]),
        "loose": (
            loose, (SettingsError, ValueError, RecursionError), [specimens.YAML.encode(), specimens.LOOSE.encode()],
        ),
        "dicts": (
            dicts, (FormatError, ValueError, RecursionError), [json.dumps(one).encode() for one in specimens.DICTS],
        ),
    }  # fmt: skip


def guided(name: str, seconds: int) -> int:
    """Fuzz one target. libFuzzer ends the process itself: 0, or another code after a crash."""
    atheris: Any = importlib.import_module("atheris")
    for module in [one for one in sys.modules if one.startswith(PACKAGES[name])]:
        del sys.modules[module]
    with atheris.instrument_imports(include=[PACKAGES[name]]):
        _import_all(importlib.import_module(PACKAGES[name]))
    sys.modules.pop("bench.trust.parsers", None)
    target, accepted, begin = targets()[name]

    def one(data: bytes) -> None:
        with contextlib.suppress(*accepted):
            target(data)

    with tempfile.TemporaryDirectory(prefix="palimpsest-guided-") as folder:
        for number, specimen in enumerate(begin):
            (Path(folder) / str(number)).write_bytes(specimen)
        flags = [
            f"-max_total_time={seconds}",
            f"-max_len={MAX_BYTES}",
            "-timeout=10",
            f"-artifact_prefix={folder}/",
        ]
        atheris.Setup([sys.argv[0], *flags, folder], one)
        atheris.Fuzz()
    return 0


def _import_all(package: ModuleType) -> None:
    """Import every module of a package, so that all are instrumented."""
    import pkgutil

    for found in pkgutil.walk_packages(getattr(package, "__path__", ()), package.__name__ + "."):
        importlib.import_module(found.name)
