"""Whether a sentence that says that tests pass is untrue.

- Where the newest run of tests failed, and nobody said since that tests pass, a sentence that says so is untrue; one
  that names a run that went well, or what no run is known of beside one that did, stands.
- Who says that some tests pass and others fail tells of those only that are named.
- So many passed as the runs say, or together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.numbers.reckoning import adds_up
from palimpsest.summarize.audit.told import FAILED, LOOK_CHARS, NONE_FAILED, RUN, WISHED, said_in
from palimpsest.summarize.facts import Facts
from palimpsest.summarize.sections import parse_command
from palimpsest.summarize.sentences import terms
from palimpsest.summarize.source import MessageEntry, Source

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
_PASSING = frozenset(
    "tests test pass passes passed passing succeed succeeds succeeded green 测试 通过".split()
)
_ALL = frozenset("every entire whole suite everything alle sämtliche 全部 所有".split())


def passing(text: str, facts: Facts, source: Source) -> Iterator[tuple[str, str]]:
    """(sentence, "") of those that say untruly that tests pass."""
    runs: dict[str, bool] = {}
    for command, outcome, failed in map(parse_command, facts.get("Commands", ())):
        if _TESTING.search(command) or _COUNTED.search(outcome):
            run = " ".join(command.split())
            over = [one for one in runs if one == run or (not failed and _covers(run, one))]
            for one in over:
                del runs[one]
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
    told = list(_told(source, since_run=newest)) if claims else []
    yield from ((one, "") for one in claims if not any(_tells(said, one) for said in told))


def _covers(run: str, other: str) -> bool:
    """Whether a run of tests is of all that another was of: of a folder in which that one's files are."""
    folders, files = ([word.rstrip("/") for word in one.split() if "/" in word] for one in (run, other))
    return bool(folders and files) and all(
        any(f"{one}/".startswith(f"{it}/") for it in folders) for one in files
    )


def _told(source: Source, *, since_run: bool) -> Iterator[list[str]]:
    """What people, the assistant and summaries say, with `since_run` after the newest run of tests alone."""
    entries = list(source.entries)
    runs = [
        at
        for at, entry in enumerate(entries)
        if isinstance(entry, MessageEntry)
        and any(_TESTING.search(call.arguments[:LOOK_CHARS]) for call in entry.message.calls)
    ]
    for entry in entries[runs[-1] + 1 if runs and since_run else 0 :]:
        text = entry.message.text if isinstance(entry, MessageEntry) else entry.summary.text
        if not isinstance(entry, MessageEntry) or entry.message.role in ("user", "assistant"):
            yield list(_sentences(text[:LOOK_CHARS]))


def _tells(said: Sequence[str], claim: str) -> bool:
    """Whether somebody says what a claim does; where others are said to fail, the same tests are named."""
    passing = [one for one in said if _claims_passing(one)]
    if not any(FAILED.search(NONE_FAILED.sub(" ", one)) for one in said if one not in passing):
        return bool(passing)
    own = set(terms(claim)) - _TESTED - _ANY - _ALL
    return any(own & set(terms(one)) - _PASSING for one in passing)


def _is_counted(claim: str, facts: Facts) -> bool:
    """Whether a claim says how many passed, and so many did: 41 beside 2 that failed, or in some runs together."""
    passed = {int(number) for line in facts.get("Commands", ()) for number in _PASSED.findall(line)}
    told = [int(number) for number in _PASSED.findall(claim)]
    every = re.search(r"\ball\b", claim, re.IGNORECASE)
    return bool(told) and all(adds_up(number, passed) for number in told) and not every


def _names_one_of(claim: str, runs: Mapping[str, bool]) -> bool:
    """Whether a claim speaks of a run that did not fail, or of tests of which no run is known beside such a one."""
    told = [failed for run in RUN.findall(claim) if (failed := runs.get(" ".join(run.split()))) is not None]
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
    if _TESTING.search(sentence) and NONE_FAILED.search(sentence):
        return not FAILED.search(NONE_FAILED.sub(" ", sentence))
    if _TESTING.search(sentence) and _PASSED.search(sentence) and not FAILED.search(sentence):
        return not WISHED.search(RUN.sub(" ", sentence))
    return bool(_TESTS_PASS.search(sentence)) and not WISHED.search(sentence)


def _sentences(text: str) -> Iterator[str]:
    return (piece for one in said_in(text) for piece in re.split(r"(?<=;)\s+", one))
