"""Which file, or which folder, a sentence means that gives an invented one.

Rules kept here:

- A file is meant that alone was changed with what else the sentence names; without such a name the one that alone had
  done to it what the sentence tells. It has the ending of the invented one.
- The folder of a commit is the one in which the call ran whose result has it, where that is one.
"""

from __future__ import annotations

from collections.abc import Iterator

from palimpsest.patterns import later
from palimpsest.summarize.deeds import CHANGES, DID, deed_of
from palimpsest.summarize.names import find_names, has_extension
from palimpsest.summarize.source import Source
from palimpsest.summarize.toolcalls import Action, decode

MAX_CALLS, ARGUMENT_CHARS, RESULT_CHARS = 400, 20_000, 4_000
_CODE = later(
    r"(?<![\w./-])(?:[A-Za-z]\w{0,60}(?:[a-z][A-Z]|_)\w{1,60}|[A-Z]{3,30}_?\w{0,30})(?![\w/-]|\.\w)"
)
"""A name from code."""
_THERE = later(
    r"(?:^|[;&|\n]\s{0,4})cd\s+[\"']?(?P<cd>[^\s;&|\"']{1,200})|\bgit\s+-C\s+[\"']?(?P<git>[^\s;&|\"']{1,200})"
)


def meant_by(said: str, name: str, source: Source) -> str:
    """The path that a sentence means with an invented one, "" for none or several."""
    rest = said.replace(name, " ")
    if has_extension(name):
        found = set(_files(rest, name.rpartition(".")[2], source))
    else:
        ids = {one for kind, one in find_names(rest) if kind in ("hash", "uuid")}
        found = set(_folders(ids, source)) if ids else set[str]()
    return found.pop() if len(found) == 1 else ""


def _files(rest: str, ending: str, source: Source) -> Iterator[str]:
    told = {deed_of(one[0]) for one in DID.finditer(rest)}
    deeds = told & CHANGES
    if not deeds:
        return
    named = set(_CODE.findall(rest))
    for action, arguments in _calls(source):
        for path, deed in action.files:
            same = deed in CHANGES and named if named else deed in deeds
            if same and path.endswith(f".{ending}") and all(one in arguments for one in named):
                yield path


def _folders(ids: set[str], source: Source) -> Iterator[str]:
    """The folders in which the calls ran whose results have the ids."""
    commands = {call.id: decode(call) for message in source.messages for call in message.calls}
    for result in (one for message in source.messages for one in message.results):
        action = commands.get(result.call_id)
        if action and any(one in result.text[:RESULT_CHARS] for one in ids):
            there = [one["cd"] or one["git"] for one in _THERE.finditer(action.command)]
            yield from (there or [action.folder] * bool(action.folder))[-1:]


def _calls(source: Source) -> Iterator[tuple[Action, str]]:
    calls = [call for message in source.messages for call in message.calls][-MAX_CALLS:]
    return ((decode(call), call.arguments[:ARGUMENT_CHARS]) for call in calls)
