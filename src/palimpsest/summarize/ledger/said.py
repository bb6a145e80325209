"""What people and models say, noted in the ledger: requests, rules, remarks, decisions, tasks in prose.

Rules kept here:

- How much a sentence must read like a rule depends on who says it: the user, a page that the user pasted, or anybody
  else, whose rules are none.
- Who the assistant is, and who the user, as blocks of these names say it, holds on like a rule.
- What was decided is what somebody says was decided, never what a program prints.
"""

from __future__ import annotations

import re
from itertools import islice

from palimpsest.patterns import later
from palimpsest.summarize.cut import ELLIPSIS, clip_words
from palimpsest.summarize.ledger.entries import MAX_TEXT_CHARS, Ledger, normal, note_line
from palimpsest.summarize.ledger.rule_lists import listed
from palimpsest.summarize.ledger.rules import lifts, note_remark, note_rule
from palimpsest.summarize.sentences import Sentence, ends, led, thinned
from palimpsest.summarize.source import WHO
from palimpsest.summarize.spoken.cues import (
    RULE_WEIGHT,
    decision_weight,
    is_code,
    is_filler,
    is_heading,
    is_trivial,
)
from palimpsest.summarize.spoken.remarks import as_rule, is_remark, remark_weight
from palimpsest.summarize.toolcalls import OPEN

PASTED_RULE_WEIGHT = 1.0
"""How much a sentence must read like a rule that the user pasted."""
NO_RULES = 9.0
REMARK_WEIGHT, BRIEF_REMARK_WEIGHT, NO_REMARKS = 0.0, 2.5, 9.0
"""How much a remark weighs at least: in a short message, among the many sentences of a brief."""
RULE_CHARS = 300
DECISION_WEIGHT = 1.0
DECISION_CHARS = 16
USER_PRIOR = 1.4
"""What a user says counts this much among the sentences."""
PASTED_PRIOR = 0.8
RESULT_PRIOR = 0.25
DULL_PRIOR = 0.2
"""Announcements, headings and lines of code or output count this much among the sentences."""
QUESTION_PRIOR = 0.6
TOOL = "tool"
"""Who speaks in a result. What it says was decided is what a program prints, not what was decided here."""
MAX_SENTENCES = 1_200
MAX_WHO, WHO_CHARS, WHO_WEIGHT = 8, 1_000, 2.0
"""Blocks of who somebody is that are looked at in a message, characters of each, and how much each counts."""

_OPEN_TASK = later(r"^\s{0,12}(?:[-*] )?(?:\[ \] |TODO\b:? ?|FIXME\b:? ?)(.{3,200})$", re.MULTILINE)
_WHO = later(
    rf"<(?P<name>{'|'.join(WHO)})(?:\s[^<>\n]{{0,200}})?>(?P<said>[^<]{{1,4000}})</(?P=name)\s?>",
    re.IGNORECASE,
)
"""Other elements of such names, as a build has them, hold more elements."""
_DONE_TASK = later(r"^\s{0,12}(?:[-*] )?\[[xX]\] (.{3,200})$", re.MULTILINE)


def note_request(ledger: Ledger, text: str) -> None:
    """Note a user's message, of a long one both ends: the newest request, unless it only says yes or go on."""
    requests = ledger.of("request")
    if is_trivial(text) and requests:
        return
    if len(requests) == 1 and is_trivial(next(iter(requests.values())).text):
        ledger.tables["request"].clear()
    if len(text) > MAX_TEXT_CHARS:
        text = f" {ELLIPSIS} ".join(ends(text, MAX_TEXT_CHARS - 4).split("\n", 1))
    note_line(ledger, "request", text)
    ledger.newest = ledger.seq


def note_who(ledger: Ledger, text: str) -> str:
    """Note what a user or the assistant says in blocks of who the assistant is and who the user (`<self>`,
    `<identity>`, `<profile>`), the newest of each name in place of the one before; give back the text without them.
    """
    if not _WHO.search(text):
        return text
    rules = ledger.tables["rule"]
    for block in islice(_WHO.finditer(text), MAX_WHO):
        begin, end = f"<{block['name'].lower()}>", f"</{block['name'].lower()}>"
        for key in [key for key, entry in rules.items() if entry.text.startswith(begin)]:
            del rules[key]
        said = clip_words(" ".join(block["said"].split()), WHO_CHARS)
        if said:
            note_line(ledger, "rule", f"{begin}{said}{end}", WHO_WEIGHT)
    return _WHO.sub("\n", text)


def note_said(
    ledger: Ledger,
    block: str,
    speaker: str,
    said: list[Sentence] | None,
    *,
    prior: float = 1.0,
    least_rule: float = NO_RULES,
    least_remark: float = NO_REMARKS,
) -> None:
    """Note the rules, the decisions and the remarks that weigh enough in a block; all its sentences in `said`."""
    alone, ruled = listed(block) if least_rule <= RULE_WEIGHT else (frozenset[str](), frozenset[str]())
    before = ""
    for text, lead in led(block):
        if least_rule < NO_RULES and len(text) <= RULE_CHARS:
            weight = max(as_rule(text), RULE_WEIGHT * (text in ruled))
            if weight >= least_rule or lifts(ledger, text, before):
                note_rule(ledger, text, max(weight, RULE_WEIGHT), before)
            elif least_remark <= remark_weight(text) and is_remark(text, alone=text in alone):
                note_remark(ledger, text, remark_weight(text))
        before = text
        weight = decision_weight(text)
        if said is None and weight < DECISION_WEIGHT:
            continue
        dull = is_filler(text) or is_heading(f"{lead} {text}".lstrip()) or is_code(text)
        decided = weight >= DECISION_WEIGHT and len(text) >= DECISION_CHARS and not is_heading(text)
        if decided and not dull and speaker != TOOL:
            note_line(ledger, "decision", text, weight)
        if said is not None:
            if len(said) >= MAX_SENTENCES:
                said[:] = thinned(said)
            asks = speaker == "assistant" and text.endswith(("?", "？"))
            worth = DULL_PRIOR if dull else QUESTION_PRIOR if asks else 1.0 + 0.2 * bool(weight)
            said.append(Sentence(text, speaker, ledger.position, prior * worth, lead))


def note_tasks(ledger: Ledger, text: str) -> None:
    """Note a list of tasks in prose: the newest one counts, and what it ticks off is done."""
    listed = tuple(f"{OPEN} {' '.join(match[1].split())}" for match in _OPEN_TASK.finditer(text))
    if listed:
        ledger.tasks = listed[:30]
    elif done := {normal(match[1]) for match in _DONE_TASK.finditer(text)}:
        ledger.tasks = tuple(line for line in ledger.tasks if normal(line.removeprefix(OPEN)) not in done)
