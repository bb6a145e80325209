"""Whether what a reply says was achieved is what happened.

Rules kept here:

- A command that is named with an outcome has the outcome that its result had: a line that lets it succeed where it
  failed, or fail with a code that no command ended with, becomes the line that rules know.
- A command that is told with an outcome was run: its words stand together somewhere in the source, and not only in an
  order, a plan or a rule. A check that is said to pass was made: a call, a result or somebody tells of it.
- Where the newest run of tests failed, and nobody said that tests pass, a sentence that says so is untrue; one that
  names a run that went well, or what no run is known of beside one that did, stands.
- What the newest task list has as done is not open. What it has not begun is not done, unless somebody spoke of it
  since.
- Wishes and plans ("until the tests pass") are no claims. Everything else is left alone: rules cannot know it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from palimpsest.patterns import later
from palimpsest.record.message import Text
from palimpsest.summarize.alike import STEM_CHARS, with_forms
from palimpsest.summarize.audit.contradictions import ASKED
from palimpsest.summarize.facts import Facts
from palimpsest.summarize.forms import FORMS
from palimpsest.summarize.ledger.entries import normal
from palimpsest.summarize.sections import parse_command
from palimpsest.summarize.sentences import sentences, terms
from palimpsest.summarize.source import MessageEntry, Source
from palimpsest.summarize.toolcalls import OPEN, decode

LOOK_CHARS = 20_000
"""Characters of one message in which somebody may say that tests pass."""
OPEN_HEADINGS = frozenset(("Open tasks", "Next steps"))

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

_MARKED = later(r"^\s{0,8}(?:[-*•]\s{1,3})?(?:\[[xX]\]|✅|☑)")
_WAS_DONE = later(
    r"\b(?:was|were|is|are|has been|have been|got) (?:\w{1,12} )?\w{2,20}(?:ed|en|ten|ne|ut|et|elt|un)\b|"
    r"\b(?:done|completed?|finished|ready|set up|in place|wurden?)\b|✅|完成|已",
    re.IGNORECASE,
)
MIN_TASK_TERMS = 2
_CHECK_PASSES = later(
    r"\b(?P<kind>lint|linter|linting|type[ -]?check\w*|build)\b(?: (?:check|run|job|step|suite)s?)?"
    r"(?: (?:now|also|all|still))? (?:pass(?:es|ed)?|(?:is|was|are|runs?|ran|came back) (?:now |all )?"
    r"(?:clean|green|passing|ok|successful))\b",
    re.IGNORECASE,
)
_LINTERS = later(
    r"lint|ruff|flake8|clippy|biome|prettier|checkstyle|rubocop|stylelint|vet\b|shellcheck|black|(?:make|run) check",
    re.I,
)
_TYPES = later(
    r"type[ -]?check|mypy|pyright|\btsc\b|\bty\b|pyre\b|flow\b|sorbet|typing|(?:make|run) check|build", re.I
)
_BUILDS = later(
    r"build|compil|\bmake\b|\btsc\b|webpack|vite|rollup|cargo|gradle|\bmvn\b|maven|cmake|ninja|bazel|docker|"
    r"\bgo (?:run|test|vet)|xcode|\bgcc|clang|javac|dotnet|swift|\bnext\b",
    re.I,
)
_ORDERS = later(
    r"(?:^|[.!?]\s|\b(?:and|then|please|always|never|must|should|to|bitte|immer|before you|after you)\s)"
    r"(?:please |always |never |also |first |then |bitte |immer )*"
    r"(?:run|use|call|execute|do|start|try|make sure|check|führe|nutze|benutze|verwende)\b|"
    r"\b(?:before|after|whenever|until|always|never|must|should|shall|will|'ll|going to|let me|let's|next|plan\w*|"
    r"want\w*|need\w*|would|could|can you|bevor|immer|soll\w*|muss)\b|"
    r"总是|必须|请|之前|运行一下",
    re.IGNORECASE,
)
"""How somebody speaks of what is yet to be run."""
_RAN = later(
    r"\b(?:ran|pass(?:ed|es)|ok|succe\w+|fail\w*|exit\w*|work(?:s|ed)|green|clean|done|lief|bestanden|erfolgreich)\b|"
    r"通过|成功|失败",
    re.IGNORECASE,
)
_RULED = later(
    r"\b(?:always|never|must|should|make sure|ensure|until|please|whenever|if|will|'ll|immer|bitte|soll\w*)\b|"
    r"必须|总是|请",
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
    done, still, untouched = _newest_tasks(source)
    for heading, lines in FORMS["sections"].parse(text):
        for line in lines:
            said = normal(line)
            if heading in OPEN_HEADINGS and said in done and said not in still:
                yield line.strip(), ""
                continue
            for task in untouched if _MARKED.match(line) or heading == "Progress" else ():
                if _tells_done(line, task):
                    yield line.strip(), f"- {OPEN} {task}" if _MARKED.match(line) else ""
                    break


def _tells_done(line: str, task: str) -> bool:
    """Whether a line has a task as done: by its mark, or it tells that all that the task speaks of was done."""
    if _MARKED.match(line):
        return normal(_MARKED.sub("", line)) == normal(task)
    wanted = set(terms(task))
    told = set(terms(line))
    return (
        len(wanted) >= MIN_TASK_TERMS
        and bool(_WAS_DONE.search(line))
        and not _WISHED.search(line)
        and len(told) <= 2 * len(wanted)
        and len(with_forms(wanted, told)) >= len(wanted) - 1
    )


def _newest_tasks(source: Source) -> tuple[frozenset[str], frozenset[str], list[str]]:
    """What the newest task list has as done, and as open, in the form in which lines are compared; and the tasks that
    it has as not begun and of which nobody spoke since.
    """
    since: list[str] = []
    for entry in reversed(source.entries):
        if not isinstance(entry, MessageEntry):
            since.append(entry.summary.text)
            continue
        for call in reversed(entry.message.calls):
            action = decode(call)
            if action.tasks is not None:
                waiting = [task.removeprefix(OPEN).strip() for task in action.tasks if task.startswith(OPEN)]
                told = [_stems(one) for one in since] if waiting else []
                untouched = [
                    one for one in waiting if not any(_speaks_of(_stems(one), said) for said in told)
                ]
                return _plain(action.done), _plain(action.tasks), untouched
            since.append(call.arguments[:LOOK_CHARS])
        since.append(entry.message.text[:LOOK_CHARS])
    return frozenset(), frozenset(), []


def _speaks_of(wanted: frozenset[str], told: frozenset[str]) -> bool:
    return 2 * len(wanted & told) >= len(wanted)


def _stems(text: str) -> frozenset[str]:
    return frozenset(term[:STEM_CHARS] for term in terms(text))


def _plain(tasks: Sequence[str]) -> frozenset[str]:
    return frozenset(normal(task.partition("] ")[2]) for task in tasks)


def _never_run(text: str, facts: Facts, source: Source) -> Iterator[tuple[str, str]]:
    """Lines that tell the outcome of a command of which no call, result, message or summary has all words; and those
    that have a check pass of which none of them tells.
    """
    texts: list[str] = []
    body = [(heading, line) for heading, lines in FORMS["sections"].parse(text) for line in lines]
    for heading, line in body:
        runs = _ENDED.findall(line) if heading not in ASKED and "…" not in line else ()
        checks = _checked(line) if heading not in ASKED else []
        if not runs and not checks:
            continue
        texts = texts or [*facts.get("Commands", ()), *_texts(source)]
        parts = [_WORDS.findall(part) for run in runs for part in _CHAIN.split(run)]
        if not all(any(all(word in one for word in part) for one in texts) for part in parts) or not all(
            any(tells.search(one) for one in texts) for tells in checks
        ):
            yield line.strip(), ""


def _is_order(sentence: str) -> bool:
    """Whether a sentence speaks of what is yet to be run, and not of how it went."""
    told = _RAN.search(sentence) and not _RULED.search(sentence)
    return bool(_ORDERS.search(sentence)) and not told


def _checked(line: str) -> list[re.Pattern[str]]:
    """What tells of each check that a line has pass."""
    if _WISHED.search(_CHECK_PASSES.sub(" ", line)):
        return []
    kinds = [found["kind"].lower()[0] for found in _CHECK_PASSES.finditer(line)]
    return [{"l": _LINTERS, "t": _TYPES, "b": _BUILDS}[kind] for kind in kinds]


def _texts(source: Source) -> Iterator[str]:
    """What stands together in a source: each call, each result, each summary, and of each message what is no order, no
    plan and no rule.
    """
    yield from source.earlier
    for entry in source.entries:
        if isinstance(entry, MessageEntry):
            said = entry.message.text
            if len(said) <= LOOK_CHARS and _ORDERS.search(said):
                said = "\n".join(one for one in sentences(said) if not _is_order(one))
            yield said
            yield from (result.text for result in entry.message.results)
            yield from (f"{call.name} {call.arguments}" for call in entry.message.calls)
        else:
            yield entry.summary.text
