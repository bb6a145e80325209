"""Sentences of documents and docstrings, and how many words they have."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

_FENCE = re.compile(r"^```.*?^```\s*?$", re.MULTILINE | re.DOTALL)
_EXAMPLE = re.compile(r"^\x08\n(?:.+\n?)*", re.MULTILINE)
_NO_PROSE = re.compile(r"^\s*(?:\||#|>|<|!\[)|^\w[\w, ]*\s{2,}\S")
_ITEM = re.compile(r"^\s*(?:[-*]|\d+\.)\s+")
_INDENTED = re.compile(r"^(?: {4}|\t)")
_END = re.compile(r"(?<=[.!?:;])[)\"'`*_]*\s+(?=[\"'`(*_\[]*[A-Z0-9`*])")
_CODE = re.compile(r"`[^`]*`")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_WORD = re.compile(r"[^\W_][\w'’-]*")


def paragraphs(text: str) -> Iterator[str]:
    """The prose of a text: no code blocks, tables, headings or indented lines; list items are paragraphs."""
    kept: list[str] = []
    for line in [*_EXAMPLE.sub("", _FENCE.sub("", text)).split("\n"), ""]:
        if not line.strip() or _NO_PROSE.match(line) or _ITEM.match(line) or _INDENTED.match(line):
            if kept:
                yield " ".join(kept)
            kept = [_ITEM.sub("", line)] if _ITEM.match(line) else []
        else:
            kept.append(line.strip())


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text. A piece of code counts as one word, a link as its words."""
    for paragraph in paragraphs(text):
        plain = _LINK.sub(r"\1", _CODE.sub("Code", paragraph))
        yield from (one for one in _END.split(plain) if _WORD.search(one))


def word_count(sentence: str) -> int:
    """The number of words of a sentence."""
    return len(_WORD.findall(sentence))


def docstrings(path: Path) -> Iterator[tuple[int, str]]:
    """(line, text) of every docstring of a module, those of attributes included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        body = getattr(node, "body", None)
        for one in body if isinstance(body, list) else ():
            if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant):
                text = one.value.value
                if isinstance(text, str):
                    yield one.lineno, inspect.cleandoc(text)
