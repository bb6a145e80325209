"""What other projects would have paid on the same sessions, for `bench/cost.py --peers`.

They run themselves (`cost_peers_run.py`), with a scripted model, in an environment that is made once in the folder for
caches, with the versions named here. What each sent, call by call, is then paid for as everything else is: the shared
beginning is read from the cache while that lives, the rest is written to it; what was hidden and is quoted costs one
more call and the whole message; the summarizer is the same model, its summaries as long as those of the plain rules.
"""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cost_replay import Result

from palimpsest.costs.replay import never_bill
from palimpsest.costs.session import Session
from palimpsest.price.compaction_rules import ASK_TOKENS
from palimpsest.price.request import Use, alive, cost, matched_tokens
from palimpsest.record.spending import Rates

PEERS = ("langchain==1.4.7", "litellm==1.106.2", "pydantic-ai-harness==0.62.0")
RUNNER = Path(__file__).with_name("cost_peers_run.py")
INSTALL_LIMIT_S = 600
RUN_LIMIT_S = 3_600


class Unavailable(Exception):
    """The peers cannot be run here; the words say why."""


@dataclass(frozen=True, slots=True)
class Run:
    """What one peer sent on one session: [call, prompt, shared, asked, summarizer's input, its output] of each call;
    None where it did not come to an end, and `why` not.
    """

    peer: str
    session: int
    records: list[list[int]] | None
    why: str


def run(sessions: Sequence[Session], window_tokens: int, folder: Path | None = None) -> list[Run]:
    """Every peer on every session, in the environment of a folder (see `python`). Raises Unavailable."""
    given = {"window": window_tokens, "sessions": [described(session) for session in sessions]}
    try:
        done = subprocess.run(
            [str(python(folder)), str(RUNNER)], input=json.dumps(given), stdout=subprocess.PIPE, check=True, text=True,
            timeout=RUN_LIMIT_S,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as error:
        raise Unavailable(str(error)) from error
    return [Run(**one) for one in json.loads(done.stdout)]


def described(session: Session) -> dict[str, Any]:
    """A session as the runner takes it."""
    return {
        "prefix": session.prefix_tokens,
        "pieces": [[piece.kind, piece.tokens] for piece in session.pieces],
        "calls": [
            [call.end, [[one.piece for one in holders] for holders in call.quotes]] for call in session.calls
        ],
    }


def python(folder: Path | None = None, *options: str) -> Path:
    """The interpreter of the peers' environment, which is made where it is not there, with these options of the
    installer. None for the folder is one among the person's caches. Raises Unavailable.
    """
    from platformdirs import user_cache_path

    folder = folder or user_cache_path("palimpsest", appauthor=False) / "bench-peers"
    found = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    noted = folder / "peers.txt"
    wanted = "\n".join(PEERS)
    if noted.exists() and noted.read_text(encoding="utf-8") == wanted:
        return found
    try:
        venv.create(folder, clear=True, with_pip=True)
        command = [str(found), "-m", "pip", "install", "--quiet", *options, *PEERS]
        subprocess.run(command, check=True, timeout=INSTALL_LIMIT_S, stdout=sys.stderr)
    except (OSError, subprocess.SubprocessError) as error:
        raise Unavailable(f"their environment cannot be made in {folder}: {error}") from error
    noted.write_text(wanted, encoding="utf-8")
    return found


def paid(session: Session, records: Sequence[Sequence[int]], rates: Rates) -> Result:
    """What a peer's calls cost under a price table, in the terms of a replay."""
    bill = fees = asked_cost = 0.0
    compactions = fetched = peak = last = 0
    before = -1
    for number, prompt, shared, asked, read, written in records:
        call = session.calls[number]
        warm = before >= 0 and (number == before or alive(call.gap_s, rates))
        matched = matched_tokens(shared, rates) if warm else 0
        output = ASK_TOKENS if asked else call.output_tokens
        price = cost(Use(matched, prompt - matched, 0, output), rates)
        fee = cost(Use(0, 0, read, written), rates)
        bill += price + fee
        fees += fee
        asked_cost += price if asked else 0.0
        fetched += bool(asked)
        compactions += shared < last
        peak, last, before = max(peak, prompt), prompt, number
    never = never_bill(session, rates)
    return Result(len(session.calls), bill, never, fees, asked_cost, compactions, 0, 0, fetched, peak)
