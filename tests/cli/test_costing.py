"""`palimpsest cost`: of transcripts and of conversations, as a table, as JSON, as a picture."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest

import palimpsest
from palimpsest import samples
from tests.cli.run import Shell, claude_lines
from tests.costs.test_plot import not_installed
from tests.engine.drawing import bulk

MODEL = "claude-sonnet-4-5"


@pytest.fixture
def paid(shell: Shell) -> Shell:
    """A store in which one conversation's calls were paid for, and compacted once."""

    async def make() -> None:
        shell.db.parent.mkdir(parents=True)
        clock = iter(range(1_790_000_000, 1_800_000_000, 7))
        async with palimpsest.open(
            shell.db, window_tokens=32_000, clock=lambda: float(next(clock))
        ) as engine:
            talk = engine.conversation("planning")
            for number in range(14):
                await talk.append({"role": "user", "content": f"plan part {number}: {bulk(4_000, number)}"})
                request = await talk.request(system="Be brief.", model=MODEL)
                usage = {"input_tokens": request.tokens, "output_tokens": 40}
                await talk.record_usage(usage, request)
                await talk.append({"role": "assistant", "content": f"part {number} is planned"})
            await talk.compact(until_under_tokens=6_000)
            await talk.append({"role": "user", "content": "go on"})
            request = await talk.request(system="Be brief.", model=MODEL)
            await talk.record_usage({"input_tokens": request.tokens, "output_tokens": 40}, request)

    asyncio.run(make())
    return shell


def test_a_transcript_is_reckoned_without_a_database(shell: Shell) -> None:
    found = shell.json("cost", samples.path())
    main, side = found["conversations"]
    assert (main["calls"], main["model"]) == (149, "claude-sonnet-4-5-20250929")
    assert main["id"] in side["id"]
    assert found["total"] == pytest.approx(main["total"] + side["total"])
    ways = {one["name"]: one for one in main["policies"]}
    assert ways["economic"]["cost"] < ways["75 %, 20k tail"]["cost"]
    assert ways["never compacting"]["share"] == pytest.approx(1)
    assert 0.9 < main["cached_share"] < 1
    assert not shell.db.exists()


def test_an_imported_transcript_costs_what_it_costs_as_a_file(shell: Shell) -> None:
    assert shell("import", samples.path()).code == 0
    file, stored = shell.json("cost", samples.path()), shell.json("cost", "--all")
    costs = [
        sorted((one["id"], round(one["total"], 9)) for one in found["conversations"])
        for found in (file, stored)
    ]
    assert costs[0] == costs[1]


def test_a_file_that_holds_a_session_once_more_is_named_as_that(shell: Shell, tmp_path: Path) -> None:
    text = samples.path().read_text("utf-8")
    for name in ("one.jsonl", "two.jsonl"):
        (tmp_path / name).write_text(text, "utf-8")
    found = shell.json("cost", tmp_path)
    assert len(found["conversations"]) == len(shell.json("cost", samples.path())["conversations"])
    assert [one["reason"] for one in found["skipped_files"]] == ["the same session as another file"]


def test_a_name_that_is_neither_conversation_nor_file_is_said_to_be_neither(paid: Shell) -> None:
    ran = paid("cost", "nowhere.jsonl")
    assert (ran.code, "no conversation and no file 'nowhere.jsonl'" in ran.err) == (3, True)


def test_shares_in_sum_are_shares_of_the_sums_that_stand_beside_them(shell: Shell, tmp_path: Path) -> None:
    for model in ("claude-opus-4-5", "claude-haiku-4-5"):
        text = samples.path().read_text("utf-8").replace("claude-sonnet-4-5-20250929", model)
        (tmp_path / f"{model}.jsonl").write_text(text.replace("165f260f", model[7:12]), "utf-8")
    ran = shell("cost", tmp_path)
    lines = ran.out[ran.out.index("replayed under each") :].splitlines()
    found = re.findall(r"\$([\d.]+) +(\d+) %", "\n".join(lines))
    never = max(float(money) for money, _ in found)
    assert len(found) >= 7
    assert all(abs(100 * float(money) / never - int(share)) <= 1 for money, share in found)


def test_a_table_for_a_person_fits_eighty_cells_and_says_what_each_way_would_have_cost(paid: Shell) -> None:
    ran = paid("cost", "last")
    assert ran.code == 0, ran.err
    assert max(map(len, ran.out.splitlines())) <= 80
    words = (
        "calls       15 of claude-sonnet-4-5",
        "cached",
        "never compacting",
        "75 %, 20k tail",
        "economic",
        "net ",
    )
    assert [word for word in words if word not in ran.out] == []


def test_a_stored_conversation_has_its_own_calls_and_what_it_saved(paid: Shell) -> None:
    (one,) = paid.json("cost", "planning", "--calls")["conversations"]
    assert one["calls"] == len(one["charges"]) == 15
    assert one["total"] == pytest.approx(sum(charge["cost"] for charge in one["charges"]))
    assert one["uncompacted"] > one["total"]
    assert one["compactions"]
    assert all(fall["after_tokens"] < fall["before_tokens"] for fall in one["compactions"])


def test_without_a_name_what_each_model_cost_is_summed(paid: Shell) -> None:
    found = paid.json("cost")
    (model,) = found["models"]
    assert (found["owner"], model["model"], model["calls"], model["conversations"]) == ("me", MODEL, 15, 1)
    (one,) = paid.json("cost", "last")["conversations"]
    assert found["total"] == pytest.approx(one["total"])
    assert "me: 1 conversation" in paid("cost").out
    assert paid.json("cost", "--owner", "somebody-else")["models"] == []


def test_each_call_is_listed_when_asked(paid: Shell) -> None:
    out = paid("cost", "last", "--calls").out
    assert len([line for line in out.splitlines() if "  reply  " in line]) == 15


def test_other_prices_and_another_window_can_be_asked_for(paid: Shell) -> None:
    usual = paid.json("cost", "last")["conversations"][0]
    other = paid.json("cost", "last", "--model", "claude-opus-4-5", "--window", 50_000)["conversations"][0]
    assert other["total"] == usual["total"]
    assert other["window_tokens"] == 50_000
    assert other["policies"][0]["cost"] > usual["policies"][0]["cost"]


@pytest.mark.parametrize("ending, start", [("svg", b"<?xml"), ("PNG", b"\x89PNG")])
def test_a_picture_is_drawn(paid: Shell, tmp_path: Path, ending: str, start: bytes) -> None:
    pytest.importorskip("matplotlib")
    target = tmp_path / f"cost.{ending}"
    ran = paid("cost", "last", "--plot", target)
    assert (ran.code, "drawn" in ran.err) == (0, True)
    assert target.read_bytes().startswith(start)


def write_session(path: Path, *models: str, cached: int = 0) -> None:
    """A Claude Code session named like its file, with a reply of each model in turn."""
    usage = {"input_tokens": 4, "cache_read_input_tokens": cached, "output_tokens": 5}
    rows: list[str] = []
    for place, model in enumerate(models):
        reply = {"role": "assistant", "id": f"r{place}", "model": model, "content": "Pier 3.", "usage": usage}
        for uuid, before, message in (
            (
                f"u{place}",
                f"a{place - 1}" if place else None,
                {"role": "user", "content": f"Which pier, {place}?"},
            ),
            (f"a{place}", f"u{place}", reply),
        ):
            line = {"type": message["role"], "uuid": uuid, "parentUuid": before, "message": message}
            times = {"sessionId": path.stem, "timestamp": f"2025-11-01T10:{place:02}:0{len(uuid)}Z"}
            rows.append(json.dumps({**line, **times}))
    path.write_text("\n".join(rows), "utf-8")


def test_a_session_that_began_with_a_cached_prompt_says_why_its_replays_cost_more(
    shell: Shell, tmp_path: Path
) -> None:
    write_session(tmp_path / "s.jsonl", MODEL, cached=25_000)
    shown = " ".join(shell("cost", tmp_path / "s.jsonl").out.split())
    assert (
        "25,000 tokens of its first prompt were cached before it began: replayed with an empty cache" in shown
    )


def test_the_models_of_a_session_are_named_and_whose_prices_its_replays_have(
    shell: Shell, tmp_path: Path
) -> None:
    write_session(tmp_path / "s.jsonl", "claude-opus-4-5", MODEL, MODEL)
    shown = " ".join(shell("cost", tmp_path / "s.jsonl").out.split())
    assert f"2 of {MODEL}, 1 of claude-opus-4-5, claude_code transcript" in shown
    assert f"at the prices of {MODEL}, under each" in shown


def test_calls_that_a_session_was_gone_on_with_from_another_count_once(shell: Shell, tmp_path: Path) -> None:
    write_session(tmp_path / "first.jsonl", MODEL, MODEL)
    write_session(tmp_path / "second.jsonl", MODEL, MODEL, "claude-opus-4-5")
    found = shell.json("cost", tmp_path)
    first, second = sorted(found["conversations"], key=lambda one: one["calls"])
    assert (first["calls"], second["calls"], found["copied_calls"]) == (2, 3, 2)
    assert found["total"] == pytest.approx(second["total"])
    last = shell("cost", tmp_path).out.splitlines()[-1]
    assert ("2 sessions, 3 calls" in last, "copied calls left out: 2" in last) == (True, True)


def test_a_picture_that_cannot_be_drawn_is_refused_before_anything_is_printed(
    paid: Shell, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    wrong = paid("cost", "last", "--plot", tmp_path / "cost.bmp")
    assert (wrong.code, wrong.out) == (2, "")
    nowhere = paid("cost", "last", "--plot", tmp_path / "none" / "cost.svg")
    assert (nowhere.code, nowhere.out) == (2, "")
    with not_installed("matplotlib"):
        absent = paid("cost", "last", "--plot", tmp_path / "cost.svg", "--json")
    assert absent.json["error"]["hint"] == 'pip install "palimpsest[plot]"'


def test_what_holds_no_call_is_said(shell: Shell, tmp_path: Path) -> None:
    empty = tmp_path / "said.jsonl"
    empty.write_text(claude_lines("quiet", "hello"), encoding="utf-8")
    ran = shell("cost", empty)
    assert (ran.code, "without model calls" in ran.err) == (2, True)
    assert shell("cost", tmp_path / "nothing.jsonl").code == 3
    assert shell("cost", "nobody").code == 3
    assert shell.json("cost")["models"] == []


def test_a_folder_with_other_files_is_read_and_what_was_skipped_is_named(
    shell: Shell, tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_bytes(samples.path().read_bytes())
    (tmp_path / "notes.json").write_text(json.dumps({"a": 1}), encoding="utf-8")
    found = shell.json("cost", tmp_path)
    assert len(found["conversations"]) == 2
    assert [Path(one["path"]).name for one in found["skipped_files"]] == ["notes.json"]


def test_a_name_with_control_characters_does_not_reach_the_terminal(shell: Shell, tmp_path: Path) -> None:
    evil = samples.path().read_text(encoding="utf-8").replace("claude-sonnet-4-5-20250929", "\\u001b[2Jevil")
    (tmp_path / "a.jsonl").write_text(evil, encoding="utf-8")
    for ran in (shell("cost", tmp_path / "a.jsonl"), shell("cost", tmp_path / "a.jsonl", "--calls")):
        assert ran.code == 0
        assert "\x1b" not in ran.out + ran.err
        assert "prices assumed for" in ran.out


def test_a_compaction_says_what_compacting_has_saved_so_far(paid: Shell) -> None:
    ran = paid("compact", "last", "--until-under", 1_500)
    assert "net -$" in ran.out
    assert paid.json("compact", "last", "--until-under", 1_400).get("net_cost", -1) < 0


def test_at_whose_prices_several_sessions_are_compared_is_said_and_whether_they_are_assumed(
    shell: Shell,
) -> None:
    assert "at the prices of" not in shell("cost", samples.path()).out
    listed = shell("cost", samples.path(), "--model", "gpt-5").out
    assert "replayed at the prices of gpt-5 under each" in listed
    assumed = " ".join(shell("cost", samples.path(), "--model", "harbour-llm-9000").out.split())
    assert "at the prices of harbour-llm-9000 (assumed: $1 a million) under each" in assumed
