"""Write the sample session that the package ships: python bench/make_sample.py [--out FILE]

The session is a script (`sample_day*.py`) played over a virtual project (`sample_project_*.py`). Playing it
twice gives the same bytes: times, ids and durations are drawn from a hash with a fixed seed, never from the
machine. The lines have the shape of Claude Code's session files, one content block a line.
"""

from __future__ import annotations

import argparse
import base64
import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import sample_day1_clock
import sample_day1_feed
import sample_day1_import
import sample_day2_advisories
import sample_day2_board
import sample_day2_cache
import sample_day2_ci
import sample_day2_widget
import sample_day3_overlap
import sample_day3_planner
import sample_day3_release
import sample_project_core
import sample_project_data
import sample_project_ops
import sample_project_rules
import sample_project_tests
import sample_project_web
from sample_schedule import feed_csv
from sample_script import Step, flow, parse
from sample_tools import TOOLS, Outcome, task_parts
from sample_world import ROOT, Dice, World, commit

SEED = "skerryline 2025-10-28"
DAWN = "2025-10-28T08:40:00"
MODEL = "claude-sonnet-4-5-20250929"
VERSION = "2.0.27"
DEFAULT_OUT = Path(__file__).parent.parent / "src/palimpsest/samples/ferry_timetable.jsonl"
SCRIPTS = [
    sample_day1_clock, sample_day1_feed, sample_day1_import, sample_day2_board,
    sample_day2_cache, sample_day2_ci, sample_day2_widget, sample_day2_advisories,
    sample_day3_overlap, sample_day3_planner, sample_day3_release,
]  # fmt: skip
PROJECT = [
    sample_project_rules, sample_project_core, sample_project_data,
    sample_project_ops, sample_project_web, sample_project_tests,
]  # fmt: skip
HISTORY = [
    ("b07d5e2", "Answer a limit out of range with TT-4000 (TT-4390)"),
    ("1fe83a6", "Name the quay on boards (TT-4402)"),
    ("93c0d17", "Release 2.3.1"),
]

Line = dict[str, object]


@dataclass
class Session:
    """The transcript so far, and what the next line needs to know."""

    world: World
    dice: Dice
    now: datetime
    session_id: str
    lines: list[Line] = field(default_factory=list[Line])
    parent: str | None = None
    sidechain: bool = False
    thinking: str = ""
    text: str = ""
    calls: list[Step] = field(default_factory=list[Step])
    seen_chars: int = 0
    cached_chars: int = 0

    def stamp(self) -> str:
        """The present moment as the transcript writes it."""
        return self.now.isoformat(timespec="milliseconds") + "Z"

    def wait(self, low_ms: int, high_ms: int) -> None:
        """Let some time pass."""
        self.now += timedelta(milliseconds=self.dice.between(low_ms, high_ms))

    def emit(self, kind: str, **fields: object) -> str:
        """Append a line of the tree and make it the parent of the next one."""
        uuid = self.dice.uuid()
        line: Line = {
            "parentUuid": self.parent, "isSidechain": self.sidechain, "userType": "external", "cwd": ROOT,
            "sessionId": self.session_id, "version": VERSION, "gitBranch": self.world.branch, "type": kind,
        }  # fmt: skip
        self.lines.append({**line, **fields, "uuid": uuid, "timestamp": self.stamp()})
        self.parent = uuid
        return uuid


def _say_user(session: Session, text: str) -> None:
    typed = not session.sidechain and not text.startswith("<")
    session.wait(*((25_000, 190_000) if typed else (300, 2_000)))
    session.seen_chars += len(text)
    extra: Line = {} if session.sidechain else {"thinkingMetadata": {"level": "none", "triggers": []}}
    session.emit("user", message={"role": "user", "content": text}, **extra)


def _blocks(session: Session, ids: list[str]) -> list[Line]:
    blocks: list[Line] = []
    if session.thinking:
        seal = base64.b64encode(f"invented signature {session.dice.hex(48)}".encode()).decode()
        blocks.append({"type": "thinking", "thinking": session.thinking, "signature": seal})
    if session.text:
        blocks.append({"type": "text", "text": session.text})
    for step, call_id in zip(session.calls, ids, strict=True):
        tool = TOOLS[step.kind]
        call = {"type": "tool_use", "id": call_id, "name": tool.name, "input": tool.arguments(step)}
        blocks.append(call)
    return blocks


def _usage(session: Session, written_chars: int) -> Line:
    cached = min(session.cached_chars, session.seen_chars)
    usage: Line = {
        "input_tokens": session.dice.between(3, 9),
        "cache_creation_input_tokens": (session.seen_chars - cached) // 4,
        "cache_read_input_tokens": cached // 4 + 14_830,
        "output_tokens": written_chars // 4 + 1,
        "service_tier": "standard",
    }
    session.cached_chars = session.seen_chars
    session.seen_chars += written_chars
    return usage


def flush(session: Session) -> None:
    """Write the assistant message that has gathered, one line a block, then the results of its calls."""
    if not (session.thinking or session.text or session.calls):
        return
    calls = session.calls
    ids = ["toolu_01" + session.dice.word(22) for _ in calls]
    blocks = _blocks(session, ids)
    usage = _usage(session, sum(len(json.dumps(block, ensure_ascii=False)) for block in blocks))
    message_id, request = "msg_01" + session.dice.word(22), "req_011" + session.dice.word(21)
    for number, block in enumerate(blocks, 1):
        session.wait(2_500, 12_000)
        session.now += timedelta(milliseconds=11 * len(json.dumps(block)))
        last = number == len(blocks)
        message = {
            "model": MODEL, "id": message_id, "type": "message", "role": "assistant", "content": [block],
            "stop_reason": ("tool_use" if calls else "end_turn") if last else None, "stop_sequence": None,
            "usage": usage,
        }  # fmt: skip
        session.emit("assistant", message=message, requestId=request)
    session.thinking, session.text, session.calls = "", "", []
    for step, call_id in zip(calls, ids, strict=True):
        _answer(session, step, call_id)


def _answer(session: Session, step: Step, call_id: str) -> None:
    if step.kind == "task":
        _subagent(session, step)
    outcome = TOOLS[step.kind].run(session.world, step)
    session.wait(120, 6_000)
    if not outcome.answered:
        note = [{"type": "text", "text": "[Request interrupted by user for tool use]"}]
        session.emit("user", message={"role": "user", "content": note})
        return
    session.seen_chars += len(outcome.text)
    session.emit(
        "user", message={"role": "user", "content": [_result(step, outcome, call_id)]}, **_copy(outcome)
    )


def _result(step: Step, outcome: Outcome, call_id: str) -> Line:
    content: object = [{"type": "text", "text": outcome.text}] if step.kind == "task" else outcome.text
    block: Line = {"tool_use_id": call_id, "type": "tool_result", "content": content}
    return {**block, "is_error": outcome.failed} if step.kind == "bash" or outcome.failed else block


def _copy(outcome: Outcome) -> Line:
    return {} if outcome.copy is None else {"toolUseResult": outcome.copy}


def _subagent(session: Session, step: Step) -> None:
    """Play a subagent's own conversation; it has no parent line and shares the session id."""
    prompt, script, report = task_parts(step)
    outer = (session.parent, session.seen_chars, session.cached_chars)
    session.parent, session.sidechain, session.seen_chars, session.cached_chars = None, True, 0, 0
    _say_user(session, prompt)
    play(session, parse(script, ">>"))
    session.text = report
    flush(session)
    session.sidechain = False
    session.parent, session.seen_chars, session.cached_chars = outer


def _aside(session: Session, step: Step) -> None:
    """The lines of a session file that are no messages: settings of the scene, notes of the client."""
    if step.kind == "at":
        if session.lines:
            session.cached_chars = 0
        session.now = datetime.fromisoformat(step.args)
    elif step.kind == "wait":
        session.now += timedelta(minutes=int(step.args))
    elif step.kind == "branch":
        session.world.branch = step.args
    elif step.kind == "meta":
        session.emit("user", message={"role": "user", "content": flow(step.body)}, isMeta=True)
    elif step.kind == "apierror":
        attempt = int(step.args)
        session.emit(
            "system", subtype="api_error", level="error", error={"status": 529}, retryAttempt=attempt,
            retryInMs=600 * 2**attempt, maxRetries=10,
        )  # fmt: skip
    elif step.kind == "snapshot":
        snapshot = {"messageId": session.parent, "trackedFileBackups": {}, "timestamp": session.stamp()}
        session.lines.append(
            {"type": "file-history-snapshot", "messageId": session.parent, "snapshot": snapshot,
             "isSnapshotUpdate": False}
        )  # fmt: skip
    else:
        raise ValueError(f"no such step: {step.kind}")


def play(session: Session, steps: list[Step]) -> None:
    """Write what the steps say, in order."""
    for step in steps:
        if step.kind in TOOLS:
            if session.calls and not step.parallel:
                flush(session)
            session.calls.append(step)
        elif step.kind in ("think", "say"):
            if session.calls or session.text:
                flush(session)
            if step.kind == "think":
                session.thinking = flow(step.body)
            else:
                session.text = flow(step.body)
        else:
            flush(session)
            if step.kind == "user":
                _say_user(session, flow(step.body))
            else:
                _aside(session, step)
    flush(session)


def start() -> Session:
    """The project as it stood before the session, with its last commits."""
    files = {path: text for part in PROJECT for path, text in part.FILES.items()}
    files["data/feeds/winter-2025.csv"] = feed_csv()
    world = World(files, Dice(SEED + " outputs"), origin=dict(files))
    for digest, subject in HISTORY:
        commit(world, digest, subject)
    dice = Dice(SEED)
    return Session(world, dice, datetime.fromisoformat(DAWN), dice.uuid())


def transcript() -> str:
    """The whole session as JSON lines."""
    session = start()
    for script in SCRIPTS:
        play(session, parse(script.STORY))
    title = {"type": "summary", "summary": "Ferry boards after the clock change", "leafUuid": session.parent}
    lines = [title, *session.lines]
    return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)


def main() -> None:
    """Write the file and say how large it became."""
    parser = argparse.ArgumentParser(description="Write the sample session that the package ships.")
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT)
    out: Path = parser.parse_args().out
    text = transcript()
    out.write_bytes(text.encode())
    print(f"{out}: {text.count(chr(10))} lines, {len(text.encode()):,} bytes")


if __name__ == "__main__":
    main()
