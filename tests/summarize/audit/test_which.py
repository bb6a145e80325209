"""A part that two ids begin or end with: its line decides which is meant, and where nothing does the part goes."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.audit import audit
from palimpsest.summarize.audit.repair import repair
from palimpsest.summarize.source import Source
from tests.summarize.audit.stories import grounds
from tests.summarize.dialogues import assistant, call, leaf, quarter, result, user

A, B = "4b71e0c2-6f10-7c44-8e1d-5a60b2f7c915", "4b71e0c2-6f10-7c44-9b02-e83d4f16a07c"
TENANTS = leaf(
    [
        user("Which of the two tenants, Elmhurst and Quarry, got the wrong file?"),
        assistant("", call("a", "sql", query="select id, name from tenants")),
        result("a", f"{A} | Elmhurst\n{B} | Quarry"),
        assistant(f"Elmhurst is {A} and Quarry {B}; they were created in the same batch."),
        assistant("", call("b", "sql", query="select * from exports")),
        result("b", f"{A} | exports/elmhurst/0304.csv | 04:10\n{B} | exports/elmhurst/0304.csv | 04:12"),
        assistant("The key is cached by the first 8 characters of the tenant id, and these two share them."),
        user("Draft the notice with the tenant id in the subject."),
    ]
)
GOOD, BAD = "7d0e94c2e8d74b51b3c7f2109d5ea834", "7d0e94c2e8d74b51b3c7f2109d5ea843"
RUNS = leaf(
    [
        user("Which run shall I promote? A lower validation loss is better."),
        assistant("", call("a", "mlruns", experiment="tide")),
        result(
            "a",
            f"run {GOOD} val_loss=0.2147 epochs=40 finished\nrun {BAD} val_loss=nan epochs=11 failed\n"
            "run d19b7c30f5a24e6888e1406bc2f7a95d val_loss=0.2390 epochs=40 finished",
        ),
        assistant(
            f"Run {GOOD} has the lowest validation loss, 0.2147. Run {BAD} failed at epoch 11 with nan."
        ),
        user("Promote the good run to staging and tell me its id."),
    ]
)
QUEUES = leaf(
    [
        user("Check the two queues."),
        assistant("", call("a", "Bash", command="cat queues.yaml")),
        result(
            "a",
            f"queues:\n  - name: invoices\n    id: {A}\n    depth: 4410\n  - name: reminders\n    id: {B}\n"
            "    depth: 12",
        ),
        assistant("Both queues are drained by one worker."),
        user("Empty the long one."),
    ]
)
P, Q = "550918273645500127736", "550918273645500129901"
PARCELS = leaf(
    [
        user("Wo sind die Pakete von Frau Ahrens und Herrn Vogt?"),
        assistant("", call("a", "suche", kunde="beide")),
        result("a", f'[{{"sendung": "{P}", "kunde": "Ahrens"}}, {{"sendung": "{Q}", "kunde": "Vogt"}}]'),
        assistant("Das Paket von Frau Ahrens liegt im Depot, das von Herrn Vogt ist unterwegs."),
        user("Schreib beiden eine kurze Nachricht."),
    ]
)
X, Y = "req_9Kd2LmQx71", "req_9Kd2PzR408"
REQUESTS = leaf(
    [
        user("两个请求里哪个超时了？"),
        assistant("", call("a", "Bash", command="grep req app.log")),
        result("a", f"10:02 {X} 支付 成功 210ms\n10:03 {Y} 退款 超时 30000ms"),
        assistant("退款请求超时了。"),
        user("把超时的那个重新发送一次。"),
    ]
)


def told(source: Source, line: str) -> str:
    """What a summary says under its progress after a line was put right."""
    held = grounds(source)
    first = source.requests[0]
    text = f"## Goal\n- {first}\n## Progress\n- {source.requests[-1]}\n- {line}\n"
    found = audit(text, held, whole=False)
    left = repair(text, found, held, target_tokens=600, limit_tokens=1_500, count=quarter)[0]
    return f"{left}\n".partition("## Progress\n")[2].partition("##")[0]


@pytest.mark.parametrize(
    "source, line, right",
    [
        (TENANTS, "Elmhurst: 4b71e0c2", f"Elmhurst: {A}"),
        (TENANTS, "Quarry: 4b71e0c2 (same batch)", f"Quarry: {B} (same batch)"),
        (TENANTS, "Quarry: 4b71e0c2 (same batch as Elmhurst)", f"Quarry: {B} (same batch as Elmhurst)"),
        (TENANTS, "Elmhurst 4b71e0c2-…, Quarry 4b71e0c2-…", f"Elmhurst {A}, Quarry {B}"),
        (TENANTS, "4b71e0c2 (Quarry) got that of Elmhurst.", f"{B} (Quarry) got that of Elmhurst."),
        (TENANTS, "The export at 04:12 belongs to 4b71e0c2.", f"The export at 04:12 belongs to {B}."),
        (
            RUNS,
            "Run with val_loss 0.2147 is the best one, id 7d0e94c2.",
            f"Run with val_loss 0.2147 is the best one, id {GOOD}.",
        ),
        (RUNS, "The failed run 7d0e94c2e8 went to nan at epoch 11.", f"The failed run {BAD} went to nan at epoch 11."),
        (RUNS, "Best: 7d0e94c2 (0.2147); broken: 7d0e94c2 (nan)", f"Best: {GOOD} (0.2147); broken: {BAD} (nan)"),
        (RUNS, "7d0e94c2 failed, 7d0e94c2 finished", f"{BAD} failed, {GOOD} finished"),
        (QUEUES, "invoices: 4b71e0c2", f"invoices: {A}"),
        (QUEUES, "Queue 4b71e0c2 has depth 12.", f"Queue {B} has depth 12."),
        (PARCELS, "Ahrens: 5509…, Vogt: 5509…", f"Ahrens: {P}, Vogt: {Q}"),
        (PARCELS, "Frau Ahrens: Sendung 5509182736", f"Frau Ahrens: Sendung {P}"),
        (REQUESTS, "退款请求 req_9Kd2 超时", f"退款请求 {Y} 超时"),
        (REQUESTS, "支付：req_9Kd2…，退款：req_9Kd2…", f"支付：{X}，退款：{Y}"),
    ],
)  # fmt: skip
def test_the_words_beside_a_part_decide_which_is_meant(source: Source, line: str, right: str) -> None:
    assert f"- {right}\n" in told(source, line)


@pytest.mark.parametrize(
    "source, line, rest",
    [
        (TENANTS, "Tenant id: 4b71e0c2", ""),
        (TENANTS, "Quarry is not 4b71e0c2.", ""),
        (RUNS, "Promote 7d0e94c2 to staging.", ""),
        (RUNS, "7d0e94c2 is the run that did not fail.", ""),
        (RUNS, "The failed run is kept, 7d0e94c2 is promoted.", "- The failed run is kept.\n"),
        (RUNS, "One failed, promote 7d0e94c2.", "- One failed.\n"),
        (
            RUNS,
            "The run 7d0e94c2 is better than the failed one.",
            "- The run is better than the failed one.\n",
        ),
        (RUNS, "The run 7d0e94c2 shall be promoted.", "- The run shall be promoted.\n"),
        (RUNS, "The good run shall be promoted (id 7d0e94c2).", "- The good run shall be promoted.\n"),
        (RUNS, "The good run shall be promoted, id 7d0e94c2.", "- The good run shall be promoted.\n"),
        (REQUESTS, "重新发送 req_9Kd2", ""),
    ],
)
def test_where_nothing_decides_the_part_goes(source: Source, line: str, rest: str) -> None:
    left = told(source, line)
    assert left == f"- {source.requests[-1]}\n{rest}"


@pytest.mark.parametrize(
    "source, line",
    [
        (TENANTS, "Elmhurst and Quarry share the prefix 4b71e0c2."),
        (TENANTS, "The key was 4b71e0c2, the first 8 characters of both tenant ids."),
        (TENANTS, "Both tenant ids begin with 4b71e0c2."),
        (TENANTS, f"Quarry: {B} (same batch)"),
        (RUNS, f"The failed run {BAD} went to nan at epoch 11."),
        (PARCELS, f"Vogt: {Q}"),
    ],
)
def test_a_part_that_is_meant_as_such_and_a_whole_stay(source: Source, line: str) -> None:
    assert not audit(f"## Progress\n- {line}", grounds(source), whole=False).doubts


def test_a_short_form_of_the_source_stays() -> None:
    source = leaf(
        [
            user("Look at the two commits."),
            result("a", "e6a1b94 add index\ne6a1b94c70d2aa18\ne6a1b94f11ab7c41 drop cache"),
            user("Go on."),
        ]
    )
    assert not audit("## Progress\n- e6a1b94 added the index", grounds(source), whole=False).doubts


def test_what_a_series_is_called_by_stays() -> None:
    source = leaf([user("Pay order-2024-0017 and order-2024-0018."), user("Go on.")])
    assert not audit("## Progress\n- All of order-2024 is to be paid", grounds(source), whole=False).doubts


def test_a_finding_names_all_that_may_be_meant() -> None:
    found = audit("## Progress\n- Quarry: 4b71e0c2", grounds(TENANTS), whole=False)
    assert A in found.told()[0]
    assert B in found.told()[0]
