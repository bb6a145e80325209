"""Run one Markdown file: its Python blocks in order in one namespace, its console blocks through a shell.

Usage: python tests/house/run_docs.py FILE. The working folder is the caller's, which gives an empty one.

- A ```python block may use `await` at its top level; one event loop serves the whole file, so that background work
  goes on between blocks. A block that raises ends the run, and the traceback names the document's own lines.
- In a ```console block, each line that begins "$ palimpsest" (or "$ make demo", which runs the same) is run, and what
  follows it, up to the next command, is compared with the output. "…" or "..." stands for anything inside a line, and
  for any number of lines where it stands alone. "$ export NAME=value" holds from there on. Other commands are not run.
- A block whose fence says `python no-run` or `console no-run` is only shown.

A command that needs no shell runs in a process of its own that is forked from one which has imported what commands
import: that is half of what most of them take.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import multiprocessing
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)
ANYTHING = re.compile(r"…|\.\.\.")
EXPORT = re.compile(r"export (?P<name>\w+)=(?P<value>\S+)")
COMMAND_SECONDS = 240
NEEDS_SHELL = re.compile(r"[|<>;&$`*?~\\(){}\[\]]")
IMPORTED = ["palimpsest.cli.app", "palimpsest.engine.opening", "palimpsest.stores.sqlite.store"]
FORKING = multiprocessing.get_context("forkserver")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: `line` is the document's line of its first line."""

    language: str
    note: str
    text: str
    line: int


def blocks(document: str) -> Iterator[Block]:
    """The fenced blocks of a document that are to be run, in order."""
    for found in FENCE.finditer(document):
        language, note, text = found.groups()
        if language in {"python", "console"} and "no-run" not in note:
            yield Block(language, note.strip(), text, document.count("\n", 0, found.start(3)) + 1)


def pattern_for(expected: str) -> re.Pattern[str]:
    """What output is accepted for an expected text: blanks at line ends do not count, "…" is anything."""
    parts: list[str] = []
    for line in expected.strip("\n").splitlines():
        if ANYTHING.fullmatch(line.strip()):
            parts.append(r"(?:[^\n]*\n)*?")
        else:
            words = (re.escape(part) for part in ANYTHING.split(line.rstrip()))
            parts.append(r"[^\n]*?".join(words) + r"[ \t]*\n")
    return re.compile("".join(parts))


def commands(block: Block) -> Iterator[tuple[int, str, str]]:
    """(line, command, expected output) of each command in a console block that is ours to run."""
    line = block.line
    for piece in re.split(r"^(?=\$ )", block.text, flags=re.MULTILINE):
        head, _, rest = piece.partition("\n")
        command = head.removeprefix("$ ").strip().replace("make demo", "palimpsest demo", 1)
        if command.startswith("palimpsest") or EXPORT.fullmatch(command):
            yield line, command, rest
        line += piece.count("\n")


def run_console(block: Block, path: Path) -> None:
    """Run a console block's commands and compare; raises AssertionError at the first difference."""
    for line, command, expected in commands(block):
        exported = EXPORT.fullmatch(command)
        if exported:
            os.environ[exported["name"]] = exported["value"]
            continue
        code, said = _run(command)
        output = said.strip("\n") + "\n"
        failed = code != 0 and "error:" not in expected
        if failed or (expected.strip() and not pattern_for(expected).fullmatch(output)):
            msg = f"{path}:{line}: $ {command} (exit {code}) gave\n{output}"
            raise AssertionError(msg)


def _run(command: str) -> tuple[int, str]:
    """(exit code, output) of a command, errors included."""
    if NEEDS_SHELL.search(command):
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=COMMAND_SECONDS,
        )
        return done.returncode, done.stdout
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as output:
        given = (shlex.split(command, comments=True)[1:], output.name, str(Path.cwd()), dict(os.environ))
        process = FORKING.Process(target=_do, args=given)
        process.start()
        process.join(COMMAND_SECONDS)
        if process.exitcode is None:
            process.kill()
            raise subprocess.TimeoutExpired(command, COMMAND_SECONDS)
        return process.exitcode, output.read()


def _do(arguments: list[str], output: str, folder: str, environment: dict[str, str]) -> None:
    """Be the command, in a forked process."""
    from palimpsest.cli import main

    os.environ.update(environment)
    os.chdir(folder)
    file = os.open(output, os.O_WRONLY)
    os.dup2(file, 1)
    os.dup2(file, 2)
    sys.exit(main(arguments))


async def run_python(block: Block, path: Path, names: dict[str, object]) -> None:
    """Run a Python block in the document's namespace."""
    source = "\n" * (block.line - 1) + block.text
    code = compile(source, str(path), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    if code.co_flags & inspect.CO_COROUTINE:
        await eval(code, names)
    else:
        exec(code, names)


def run(path: Path) -> int:
    """Run every block of a document; returns how many ran."""
    ran = 0
    FORKING.set_forkserver_preload(IMPORTED)
    names: dict[str, object] = {"__name__": "__docs__"}
    with asyncio.Runner() as runner:
        for block in blocks(path.read_text(encoding="utf-8")):
            if block.language == "python":
                runner.run(run_python(block, path, names))
            else:
                run_console(block, path)
            ran += 1
    return ran


if __name__ == "__main__":
    print(run(Path(sys.argv[1])), "blocks ran")
