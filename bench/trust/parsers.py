"""Everything that is parsed, fed with what nobody should send: no crash but the documented errors, and no endless work.

    python -m bench.trust.parsers [--count 1000000] [--seconds S] [--tally FILE] [--only NAME] [--json]
    python -m bench.trust.parsers --guided NAME --seconds S          coverage-guided, with atheris

An input is a specimen with a few values replaced, dropped, doubled or swapped (deep nesting, many keys, huge numbers,
surrogates, NUL, colliding ids, parents in circles, paths as names), or its text mangled, or both. A parser may answer,
or raise the error that its documentation names. One that takes the processor more than `SLOW_S` is a fault, too.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, cast

from bench.trust import specimens
from bench.trust.drawing import damage, dumps, json_copy, mangled, words
from bench.trust.guided import guided, read_transcript
from bench.trust.hands import command
from bench.trust.running import Found, options
from palimpsest.config import json_edit
from palimpsest.config.files import load_config
from palimpsest.config.json5_yaml import read_loose_json, read_yaml
from palimpsest.config.other_agents import read_peer
from palimpsest.errors import FormatError, ModelError, SettingsError, UsageError
from palimpsest.formats import anthropic, bedrock, gemini, openai, parse_any, parse_tools, parse_usage
from palimpsest.formats.anthropic import reply as anthropic_reply
from palimpsest.formats.bedrock import reply as bedrock_reply
from palimpsest.formats.failures import classify
from palimpsest.formats.gemini import reply as gemini_reply
from palimpsest.formats.openai import reply as openai_reply
from palimpsest.formats.transcripts import FORMATS
from palimpsest.search.filters import read_where
from palimpsest.search.query_grammar import parse as parse_query
from palimpsest.search.query_matching import Body, matches
from palimpsest.search.question import read_question

SLOW_S = 5.0
NAMES = (
    "session.jsonl",
    "rollout-2026.jsonl",
    "a/../../b.json",
    "storage/session/x.json",
    "\x00.jsonl",
    "session",
)
STREAMS = {"openai": openai_reply, "anthropic": anthropic_reply, "gemini": gemini_reply}
"""The modules that read a provider's replies, whole and in pieces."""
REPLIES = {**STREAMS, "bedrock": bedrock_reply}


def _changed(draw: Random, values: tuple[object, ...]) -> list[object]:
    """Copies of JSON values with something wrong in them, some of them doubled, moved or left out."""
    found = [damage(draw, json_copy(one)) if draw.random() < 0.6 else json_copy(one) for one in values]
    if draw.random() < 0.4:
        found.insert(draw.randint(0, len(found)), json_copy(draw.choice(found)))
    if draw.random() < 0.2:
        draw.shuffle(found)
    return found


def _bytes(draw: Random, text: str) -> bytes:
    if draw.random() < 0.3:
        text = mangled(draw, text)
    encoding = draw.choice(("utf-8", "utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16"))
    data = text.encode(encoding, "surrogatepass")
    if draw.random() < 0.1 and data:
        at = draw.randrange(len(data))
        data = data[:at] + bytes((draw.randrange(256),)) + data[at + 1 :]
    return data


def transcript(draw: Random) -> None:
    """A file of lines, or a document, in the format it is in or said to be in."""
    if draw.random() < 0.6:
        lines = _changed(draw, draw.choice(list(specimens.TRANSCRIPTS.values())))
        data = _bytes(draw, "\n".join(dumps(one) for one in lines))
    else:
        data = _bytes(draw, dumps(damage(draw, json_copy(draw.choice(list(specimens.DOCUMENTS.values()))))))
    read_transcript(draw.choice(NAMES), data, draw.choice((None, None, *FORMATS)))


def dicts(draw: Random) -> None:
    """Message dicts of any provider, and tools; what is read is rendered for all."""
    raw = damage(draw, json_copy(draw.choice(specimens.DICTS)))
    messages = parse_any(raw)
    for form in (openai, anthropic, gemini, bedrock):
        form.render_messages(messages)
    parse_tools(cast("Any", damage(draw, json_copy(draw.choice(specimens.TOOLS)))))


def replies(draw: Random) -> None:
    """Replies, whole and in pieces, and the usage in them."""
    name = draw.choice(list(REPLIES))
    REPLIES[name].parse_reply(damage(draw, json_copy(specimens.REPLIES[name])))


def streams(draw: Random) -> None:
    """Events of a stream, some of them broken, doubled, out of order or missing."""
    name = draw.choice(list(STREAMS))
    parser = STREAMS[name].StreamParser()
    for event in _changed(draw, specimens.EVENTS[name]):
        parser.feed(event)
    parser.finish()


def usage(draw: Random) -> None:
    """Usage in any form."""
    parse_usage(damage(draw, json_copy(draw.choice(list(specimens.REPLIES.values())))))


def errors(draw: Random) -> None:
    """Error bodies and texts of providers, and exceptions that carry them."""
    body = damage(draw, json_copy(draw.choice(specimens.ERRORS)))
    given = draw.choice((body, dumps(body), mangled(draw, dumps(body)), RuntimeError(dumps(body)[:5_000])))
    provider = draw.choice(("", "openai", "anthropic", "gemini", "none"))
    classify(given, provider, secrets=(words(draw),), now_s=1e9)


def configs(draw: Random) -> None:
    """Configuration files: TOML, JSON with comments, plain YAML; ours, and those of other agents."""
    value = damage(draw, json_copy(draw.choice(specimens.CONFIGS)))
    if draw.random() < 0.5 and isinstance(value, dict):
        read_peer(cast("dict[str, object]", value))
        return
    text = draw.choice((dumps(value), specimens.YAML, specimens.LOOSE))
    with tempfile.TemporaryDirectory(prefix="palimpsest-config-") as folder:
        path = Path(folder) / f"config.{draw.choice(('json', 'yaml', 'toml', 'json5', 'yml'))}"
        path.write_bytes(_bytes(draw, mangled(draw, text)))
        load_config(file=path, environment={}, user=False)


def loose(draw: Random) -> None:
    """Text with comments and without quotes, and mappings as YAML writes them."""
    try:
        read_loose_json(
            mangled(
                draw, draw.choice((specimens.LOOSE, dumps(damage(draw, json_copy(specimens.CONFIGS[0])))))
            )
        )
    except ValueError:
        read_yaml(mangled(draw, specimens.YAML))


def queries(draw: Random) -> None:
    """Patterns and questions, and the limits of a search."""
    text = mangled(draw, " ".join(draw.choices(specimens.QUERIES, k=draw.choice((1, 1, 2, 5)))))
    read_question(text, 1e9)
    since = draw.choice((None, "2026-02-03", text))
    with contextlib.suppress(UsageError):
        read_where(
            draw.choice(("both", text)),
            draw.choice((None, text)),
            draw.choice((None, "7d", text)),
            since,
            None,
            now_s=1e9,
        )
    matches(parse_query(text).root, Body.of(words(draw)))


def json_edits(draw: Random) -> None:
    """The text of another program's settings, in which one member is put in or taken out."""
    text = dumps(damage(draw, json_copy(draw.choice(specimens.CONFIGS))))
    text = mangled(draw, text) if draw.random() < 0.5 else text
    json_edit.check(text)
    path = draw.choice((("mcpServers", "palimpsest"), ("agents",), ("a", "b", "c")))
    new = json_edit.insert(text, path, {"command": "x", "args": ["\ud83d\ude42"]})
    if json_edit.value_at(new, path) is None:
        raise AssertionError("what was put in is not there")
    json_edit.remove(new, path)


MAY_RAISE: dict[str, tuple[Callable[[Random], None], tuple[type[BaseException], ...]]] = {
    "transcripts": (transcript, (FormatError,)),
    "dicts": (dicts, (FormatError,)),
    "replies": (replies, (FormatError, ModelError)),
    "streams": (streams, (FormatError, ModelError)),
    "usage": (usage, (FormatError,)),
    "errors": (errors, ()),
    "configs": (configs, (SettingsError,)),
    "loose": (loose, (SettingsError,)),
    "queries": (queries, (UsageError,)),
    "json edits": (json_edits, (ValueError,)),
}


def parse_trial(seed: int, only: str = "") -> Found:
    """One input for one parser."""
    draw, found = Random(seed), Found()
    name = only or draw.choice(list(MAY_RAISE))
    target, accepted = MAY_RAISE[name]
    began = time.process_time()
    try:
        target(draw)
        found.counts[f"{name} taken"] += 1
    except accepted as error:
        if len(str(error)) > 2_000:
            found.faults.append(f"{name}: an error of {len(str(error))} characters")
        found.counts[f"{name} refused"] += 1
    except Exception as error:
        error.add_note(name)
        raise type(error)(f"{name}: {str(error)[:200]}").with_traceback(error.__traceback__) from error
    if (seconds := time.process_time() - began) > SLOW_S:
        found.faults.append(f"{name}: took {seconds:.1f} s")
    found.counts["inputs"] += 1
    return found


def main() -> int:
    parser = options("inputs for every parser that nobody should send", count=1_000_000)
    parser.add_argument("--only", default="", choices=("", *MAY_RAISE), help="one parser")
    parser.add_argument("--guided", default="", help="guided by coverage: transcripts, queries, loose, dicts")
    given = parser.parse_args()
    if given.guided:
        return guided(given.guided, int(given.seconds))
    trial = partial(parse_trial, only=given.only)
    return command(f"parsers {given.only}".strip(), trial, given, goal="inputs", limit_s=60.0)


if __name__ == "__main__":
    sys.exit(main())
