"""Import paths that the documentation showed keep working, and say what to import now."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from importlib import import_module

import pytest

from palimpsest.moved_modules import MOVED
from tests.house.tree import ROOT, prose_files

SHOWN_EARLIER = {
    "palimpsest.agent.copies": ["renew"],
    "palimpsest.budget.windows": ["find_limits"],
    "palimpsest.config.peers": ["read_peer"],
    "palimpsest.config.picoclaw": ["read_picoclaw_config"],
    "palimpsest.engine.compacting.drive": ["give_way"],
    "palimpsest.record.seen": ["Assembled", "Seen", "Taken"],
    "palimpsest.summarize.checks.exact": ["checked"],
    "palimpsest.summarize.checks.known": ["knowing"],
    "palimpsest.summarize.ledger.entries": ["Ledger"],
    "palimpsest.summarize.ledger.reading": ["update"],
    "palimpsest.summarize.ledger.render": ["render"],
    "palimpsest.summarize.redact": ["redact"],
    "palimpsest.summarize.secrets.redact": ["redact"],
}
"""Module paths of earlier documentation, with the names that it imported."""
ADAPTERS = "palimpsest.integrations."
"""Adapters are importable only beside their frameworks."""
SHOWN = re.compile(r"^\s*from (palimpsest[\w.]*) import ([\w, ]+)$", re.MULTILINE)


@pytest.mark.parametrize("path", sorted(SHOWN_EARLIER))
def test_a_path_that_earlier_documentation_showed_is_importable(path: str) -> None:
    sys.modules.pop(path, None)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        module = import_module(path)
    assert [name for name in SHOWN_EARLIER[path] if not hasattr(module, name)] == []
    assert [one.category for one in seen] == [DeprecationWarning]
    assert MOVED[path] in str(seen[0].message)


def test_the_warning_names_the_line_that_imports() -> None:
    program = "import palimpsest\nfrom palimpsest.record.seen import Taken\n"
    command = [sys.executable, "-W", "always", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert "<string>:2: DeprecationWarning: palimpsest.record.seen has moved" in done.stderr


def test_the_new_path_of_a_moved_module_gives_the_same_objects() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        old = import_module("palimpsest.summarize.secrets.redact")
    assert old.redact is import_module("palimpsest.redaction.redactor").redact


def shown_in_documents(*, adapters: bool) -> list[tuple[str, str]]:
    """The paths and names that the documents import; the adapters of frameworks, or everything else."""
    found = [one for path in prose_files() for one in SHOWN.findall(path.read_text(encoding="utf-8"))]
    return [one for one in found if one[0].startswith(ADAPTERS) == adapters]


def test_every_adapter_that_the_documents_show_defines_what_they_import() -> None:
    shown = shown_in_documents(adapters=True)
    assert len(shown) > 2
    for path, name in shown:
        source = ROOT / "src" / f"{path.replace('.', '/')}.py"
        assert re.search(rf"^class {name}\b", source.read_text(encoding="utf-8"), re.MULTILINE)


def test_every_path_that_the_documents_show_is_importable_without_a_warning() -> None:
    shown = shown_in_documents(adapters=False)
    assert len(shown) > 20
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for path, names in shown:
            for name in (one.split(" as ")[0].strip() for one in names.split(",")):
                assert hasattr(import_module(path), name) or import_module(f"{path}.{name}")


def test_a_path_that_never_existed_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError):
        import_module("palimpsest.summarize.ledger.nothing")
