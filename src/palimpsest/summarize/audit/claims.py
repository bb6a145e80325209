"""Whether what a reply says was achieved is what happened.

Rules kept here:

- A command that is named with an outcome has the outcome that its result had: a line that lets it succeed where it
  failed, or fail with a code that no command ended with, becomes the line that rules know.
- A command that is told with an outcome was run: its words stand together somewhere in the source.
- Where the newest run of tests failed, and nobody said that tests pass, a sentence that says so is untrue; one that
  names a run that went well, or what no run is known of beside one that did, stands.
- What the newest task list has as done is not open.
- Wishes and plans ("until the tests pass") are no claims. Everything else is left alone: rules cannot know it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from palimpsest.patterns import later
from palimpsest.record.message import Text
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.contradictions import ASKED
from palimpsest.summarize.facts import Facts
from palimpsest.summarize.forms import FORMS
from palimpsest.summarize.ledger.entries import normal
from palimpsest.summarize.sections import parse_command
from palimpsest.summarize.sentences import sentences, terms
from palimpsest.summarize.source import MessageEntry, Source
from palimpsest.summarize.toolcalls import decode

LOOK_CHARS = 20_000
"""Characters of one message in which somebody may say that tests pass."""
OPEN = frozenset(("Open tasks", "Next steps"))

_RUN = later(r"`([^`\n]{2,300})`")
_ENDED = later(r"`([^`\n]{2,300})`\s{0,3}(?:->|→|=>)")
_CHAIN = later(r"&&|\|\|?|;")
_WORDS = later(r"(?<![\w./-])[A-Za-z][A-Za-z_]{1,40}(?![\w./-])")
"""The program of a command and what it is told to do; no options and no paths."""
_TOLD = later(r"`\s{0,3}(?:->|→|=>|—|:)")
"""How an outcome is written behind its command."""
_SUCCEEDED = later(
    r"(?:->|→|:|=>|—)\s{0,2}(?:ok|0 failed|success\w*|pass\w*|exit(?: code)? 0|all \w+ pass\w*)\b|"
    r"\b(?:(?:then|now|later|dann|jetzt|danach) ok|ohne fehler|fehlerfrei|bestanden|erfolgreich|"
    r"pass(?:es|ed|ing)?|succe(?:eds?|eded|ssful\w*)|works now|is green)\b|✅|成功|通过",
    re.IGNORECASE,
)
_FAILED = later(
    r"\b(?:fail\w*|errors?|exit(?: code)? -?[1-9]\d*|not|never|cannot|can't|broke\w*|crash\w*|timed out|"
    r"fehl\w*)\b|❌|失败|错误|未",
    re.IGNORECASE,
)
_TOLD_FAILED = later(
    r"`\s{0,3}(?:->|→|=>|—|:)\s{0,2}(?:failed|fails|error|exit(?: code)? [1-9]|[1-9]\d{0,5} failed)\b", re.I
)
_EXIT = later(
    r"\b(?:exit(?:ed|s)?|return(?:ed|s)?|status|code)(?: with)?(?: (?:exit|return))?(?: code| status)?[:=]? "
    r"(-?\d{1,3})\b|退出码\D{0,3}(\d{1,3})",
    re.IGNORECASE,
)
_NONE_FAILED = later(r"\b(?:0|no) (?:failures?|failed|failing|errors?)\b", re.IGNORECASE)
_TESTING = later(
    r"\b(?:py|j|vi)test\b|\b(?:jest|mocha|rspec|phpunit|ctest|tox|nox|unittest|tests?)\b", re.IGNORECASE
)
_COUNTED = later(r"\b\d{1,6} (?:passed|failed|passing|failing|errors?)\b")
_PASSED = later(r"\b(\d{1,6}) (?:\w{1,12} )?(?:tests? )?pass(?:ed|ing)?\b", re.IGNORECASE)
_TESTS_PASS = later(
    r"\b(?:tests?|test suite|specs?)\b[^.;:\n]{0,24}\b(?:(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|green)\b)|"
    r"测试(?:现在|已经|已|全部|都|均){0,3}通过|テスト(?:は|が)?(?:すべて|全て)?(?:通|成功)|"
    r"\btests?\b[^.;:\n]{0,20}\b(?:laufen|bestehen|bestanden|grün)\b",
    re.IGNORECASE,
)
_SUITE = later(r"\b([a-z]\w{1,40})[ -](?:test (?:suite|run)|tests?|specs?|suite)\b", re.IGNORECASE)
"""What kind of tests a sentence speaks of."""
_TESTED = frozenset("pytest test tests npm run vitest jest python py uv cargo go make check".split())
_ANY = frozenset(
    "new full complete own existing related relevant remaining updated automated affected other failing failed ran run "
    "reran rerun re confirmed verified fixed added running passing".split()
)
"""What stands before "tests" and tells of no kind of them."""
_ALL = frozenset("every entire whole suite everything alle sämtliche 全部 所有".split())
_WISHED = later(
    r"\b(?:not|no|never|fail\w*|don't|doesn't|until|once|if|when|before|after|must|should|shall|will|would|to|make|ensure|"
    r"need\w*|want\w*|verify|check|confirm|whether|some|\d+ of|bis|wenn|falls|sollen|"
    r"müssen|nicht)\b|\b(?P<part>\d{1,6})\s?/\s?(?!(?P=part)\b)\d{1,6}\b|未|没|直到|确保|必须|如果|需要|ない",
    re.IGNORECASE,
)


def untrue(text: str, facts: Facts, source: Source) -> list[tuple[str, str]]:
    """(what a reply says, what rules know in its place) of what did not happen; "" for nothing. What is said is a line
    where it names a command or a task, else a sentence.
    """
    return [
        *_outcomes(text, facts, source),
        *_passing(text, facts, source),
        *_done(text, source),
        *_never_run(text, facts, source),
    ]


def _outcomes(text: str, facts: Facts, source: Source) -> Iterator[tuple[str, str]]:
    failed = {" ".join(command.split()): entry for command, entry in _ended(facts, failed=True)}
    went_well = {" ".join(command.split()): entry for command, entry in _ended(facts, failed=False)}
    codes: set[str] | None = None
    for line in text.splitlines():
        said = line.strip()
        runs = [" ".join(run.split()) for run in _RUN.findall(said)]
        entry = failed.get(runs[0]) if len(runs) == 1 else None
        told = bool(_TOLD.search(said)) or not _WISHED.search(_RUN.sub(" ", said))
        if entry and told and _says_success(_RUN.sub(" ", said)):
            yield said, f"- {entry}"
        elif entry and _codes(_RUN.sub(" ", said)) - {"0"} - _codes(entry) and _codes(entry):
            codes = _exits(source) if codes is None else codes
            if not _codes(_RUN.sub(" ", said)) <= codes:
                yield said, f"- {entry}"
        entry = went_well.get(runs[0]) if len(runs) == 1 and not entry else None
        if entry and _says_failure(said):
            yield said, f"- {entry}"


def _codes(text: str) -> set[str]:
    """The codes with which a text has something end."""
    return {code for found in _EXIT.findall(text) for code in found if code}


def _exits(source: Source) -> set[str]:
    """The codes with which anything ended, as anybody or any result tells."""
    texts = [*source.earlier]
    for entry in source.entries:
        if isinstance(entry, MessageEntry):
            texts.extend((entry.message.text, *(result.text for result in entry.message.results)))
        else:
            texts.append(entry.summary.text)
    return {code for text in texts for code in _codes(text)} | {"0"}


def _ended(facts: Facts, *, failed: bool) -> Iterator[tuple[str, str]]:
    """(command, entry) of those that failed, or of those that did not and whose outcome is known."""
    for entry in facts.get("Commands", ()):
        command, outcome, bad = parse_command(entry)
        if bad == failed and outcome:
            yield command, entry


def _says_failure(line: str) -> bool:
    """Whether a line tells failure as the outcome of its one command, and nothing else of it."""
    told = _TOLD_FAILED.search(_RUN.sub("`", line))
    return bool(told) and not _SUCCEEDED.search(line)


def _says_success(words: str) -> bool:
    return bool(_SUCCEEDED.search(words)) and not _FAILED.search(_NONE_FAILED.sub(" ", words))


def _passing(text: str, facts: Facts, source: Source) -> Iterator[tuple[str, str]]:
    runs: dict[str, bool] = {}
    for command, outcome, failed in map(parse_command, facts.get("Commands", ())):
        if _TESTING.search(command) or _COUNTED.search(outcome):
            run = " ".join(command.split())
            runs.pop(run, None)
            runs[run] = failed
    newest = bool(runs) and list(runs.values())[-1]
    failing = [frozenset(terms(command)) for command, failed in runs.items() if failed]
    claims = [
        one
        for one in _sentences(text)
        if failing
        and _claims_passing(one)
        and not _names_one_of(one, runs)
        and not _is_counted(one, facts)
        and (newest or _is_of(frozenset(terms(one)), failing, len(runs)))
    ]
    if claims and not any(_claims_passing(one) for one in _spoken(source)):
        yield from ((one, "") for one in claims)


def _is_counted(claim: str, facts: Facts) -> bool:
    """Whether a claim says how many passed, and so many did: 41 of a run in which 2 failed."""
    passed = {number for line in facts.get("Commands", ()) for number in _PASSED.findall(line)}
    told = _PASSED.findall(claim)
    return bool(told) and passed.issuperset(told) and not re.search(r"\ball\b", claim, re.IGNORECASE)


def _names_one_of(claim: str, runs: Mapping[str, bool]) -> bool:
    """Whether a claim speaks of a run that did not fail, or of tests of which no run is known beside such a one."""
    told = [failed for run in _RUN.findall(claim) if (failed := runs.get(" ".join(run.split()))) is not None]
    if told:
        return not any(told)
    failing = {term for run, failed in runs.items() if failed for term in terms(run)} - _TESTED
    well = {term for run, failed in runs.items() if not failed for term in terms(run)} - _TESTED - failing
    words = set(terms(claim))
    if all(runs.values()) or words & _ALL or with_forms(words, failing):
        return False
    suites = set(terms(" ".join(_SUITE.findall(claim)))) - _TESTED - _ANY
    return bool(suites or with_forms(words, well))


def _is_of(words: frozenset[str], failing: Sequence[frozenset[str]], runs: int) -> bool:
    """Whether what passes is what failed when it was last run: it is named, or all is said to pass."""
    return any(words & (one - _TESTED) for one in failing) or (bool(words & _ALL) and len(failing) < runs)


def _claims_passing(sentence: str) -> bool:
    if _TESTING.search(sentence) and _NONE_FAILED.search(sentence):
        return not _FAILED.search(_NONE_FAILED.sub(" ", sentence))
    return bool(_TESTS_PASS.search(sentence)) and not _WISHED.search(sentence)


def _sentences(text: str) -> Iterator[str]:
    body = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    return (piece for one in sentences(body) for piece in re.split(r"(?<=;)\s+", one))


def _spoken(source: Source) -> Iterator[str]:
    """What people, the assistant and summaries say."""
    for entry in source.entries:
        if isinstance(entry, MessageEntry):
            for part in entry.message.parts:
                if isinstance(part, Text):
                    yield from _sentences(part.text[:LOOK_CHARS])
        else:
            yield from _sentences(entry.summary.text[:LOOK_CHARS])


def _done(text: str, source: Source) -> Iterator[tuple[str, str]]:
    done, still = _newest_tasks(source)
    if not done:
        return
    for heading, lines in FORMS["sections"].parse(text):
        if heading in OPEN:
            for line in lines:
                if normal(line) in done and normal(line) not in still:
                    yield line.strip(), ""


def _newest_tasks(source: Source) -> tuple[frozenset[str], frozenset[str]]:
    """What the newest task list has as done, and as open, in the form in which lines are compared."""
    for entry in reversed(source.entries):
        if isinstance(entry, MessageEntry):
            for call in reversed(entry.message.calls):
                action = decode(call)
                if action.tasks is not None:
                    return _plain(action.done), _plain(action.tasks)
    return frozenset(), frozenset()


def _plain(tasks: Sequence[str]) -> frozenset[str]:
    return frozenset(normal(task.partition("] ")[2]) for task in tasks)


def _never_run(text: str, facts: Facts, source: Source) -> Iterator[tuple[str, str]]:
    """Lines that tell the outcome of a command of which no call, result, message or summary has all words."""
    texts: list[str] = []
    body = [(heading, line) for heading, lines in FORMS["sections"].parse(text) for line in lines]
    for heading, line in body:
        for run in _ENDED.findall(line) if heading not in ASKED and "…" not in line else ():
            texts = texts or [*facts.get("Commands", ()), *_texts(source)]
            parts = [_WORDS.findall(part) for part in _CHAIN.split(run)]
            if not all(any(all(word in one for word in part) for one in texts) for part in parts):
                yield line.strip(), ""
                break


def _texts(source: Source) -> Iterator[str]:
    """What stands together in a source: each call, each result, each message, each summary."""
    yield from source.earlier
    for entry in source.entries:
        if isinstance(entry, MessageEntry):
            yield entry.message.text
            yield from (result.text for result in entry.message.results)
            yield from (f"{call.name} {call.arguments}" for call in entry.message.calls)
        else:
            yield entry.summary.text
