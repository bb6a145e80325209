"""Each command on the shipped session: the settled fields, ids that the next command takes, texts for a person."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from palimpsest import samples
from palimpsest.cli import main
from palimpsest.cli.options import OWNER
from palimpsest.formats.rules import anthropic_breaches, gemini_breaches, openai_breaches
from tests.cli.run import Shell, claude_lines
from tests.effort import sampled


def test_list_names_the_conversations_newest_first(sample: Shell) -> None:
    known = sample.json("list")["conversations"]
    assert [one["parent"] != "" for one in known].count(False) == 1
    for one in known:
        assert {"id", "title", "messages", "tokens", "window_tokens", "updated_at"} <= one.keys()
    assert sorted(known, key=lambda one: one["updated_at"], reverse=True) == known
    assert all(one["id"] in sample("list").out for one in known)


def test_every_command_takes_last_and_the_beginning_of_an_id(sample: Shell) -> None:
    (whole,) = [one["id"] for one in sample.json("list")["conversations"] if not one["parent"]]
    for given in ("last", whole, whole[:8]):
        assert sample.json("window", given)["conversation"] == whole
        assert sample.json("show", given, "--limit", 1)["conversation"] == whole


def test_show_pages_through_all_messages_word_for_word(sample: Shell) -> None:
    first = sample.json("show", "last", "--limit", 300)
    second = sample.json("show", "last", "--start", 301, "--limit", 300)
    messages = first["messages"] + second["messages"]
    assert first["total"] == len(messages) == 420
    assert [one["position"] for one in messages] == list(range(1, 421))
    assert messages[0]["text"].startswith("Boards are an hour off")
    assert "120 more messages: palimpsest show" in sample("show", "last", "--limit", 300).out


def test_a_long_message_is_shortened_for_a_person_unless_asked_for(sample: Shell) -> None:
    short = sample("show", "last", "--limit", 30).out
    full = sample("show", "last", "--limit", 30, "--full").out
    assert "more characters" in short
    assert "more characters" not in full
    assert len(full) > len(short)


def test_a_window_covers_every_message_once_and_adds_up(sample: Shell) -> None:
    view = sample.json("window", "last", "--window", 32_000)
    items = view["items"]
    covered = [seq for item in items for seq in range(item["first"], item["last"] + 1)]
    assert covered == list(range(1, 421))
    assert (
        view["tokens"]
        == sum(view["regions"].values())
        <= view["capacity_tokens"]
        < view["window_tokens"]
        == 32_000
    )


def test_the_lines_of_a_window_say_what_was_called_and_what_came_back(sample: Shell) -> None:
    shown = sample("window", "last", "--window", 200_000).out
    assert "toolu_" not in shown
    assert re.search(r"assistant .*Edit file_path /home/dev/", shown)


def test_a_window_as_a_provider_takes_it_is_the_request_alone_and_valid(sample: Shell) -> None:
    openai = sample("window", "last", "--window", 32_000, "--as", "openai")
    anthropic = sample("window", "last", "--window", 32_000, "--as", "anthropic", "--json")
    assert openai.json.keys() == {"messages"}
    assert openai_breaches(openai.json) == ()
    assert anthropic_breaches(anthropic.json) == ()
    assert gemini_breaches(sample("window", "last", "--window", 32_000, "--as", "gemini").json) == ()
    assert openai.err == ""


def test_a_window_as_text_is_what_the_model_sees_and_ends_with_the_budget(sample: Shell) -> None:
    text = sample("window", "last", "--window", 32_000, "--as", "text").out
    request = sample("window", "last", "--window", 32_000, "--as", "openai").json
    assert text.startswith("--- user ---\n[CONTEXT COMPACTION] Earlier parts of this conversation")
    assert request["messages"][0]["content"] in text
    assert "tokens used" in text.splitlines()[-4]


def test_a_window_that_does_not_fit_yet_is_shown_compacted_and_says_so(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(claude_lines("s-1", *(f"word {place} " * 40 for place in range(120))))
    shell.json("import", path)
    ran = shell("window", "last", "--window", 4_000, "--json")
    assert ran.code == 0
    assert ran.err.startswith("compacted to fit: ")
    assert ran.json["tokens"] <= ran.json["capacity_tokens"]


def test_looking_at_a_window_changes_nothing_whatever_the_limit(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(claude_lines("s-1", *(f"word {place} " * 40 for place in range(120))))
    shell.json("import", path)
    before = shell.json("window", "last"), shell.json("list"), shell.json("stats")
    codes = [
        shell("window", "last", "--window", limit, "--json", *form).code
        for limit in (4_000, 400, 100)
        for form in ((), ("--as", "openai"), ("--set", "preset=hierarchical"))
    ]
    assert codes[:3] == [0, 0, 0]
    assert codes[-1] == 7
    assert (shell.json("window", "last"), shell.json("list"), shell.json("stats")) == before
    assert shell("verify").code == 0


def test_a_dry_run_decides_and_changes_nothing(shell: Shell) -> None:
    shell.json("import", samples.path())
    planned = shell.json("compact", "last", "--window", 32_000, "--dry-run")
    assert planned["reason"].startswith("economic")
    kinds = [step["kind"] for step in planned["steps"]]
    assert "leaf" in kinds
    assert set(kinds) <= {"leaf", "stub"}
    assert planned["dry_run"] is True
    assert shell.json("stats")["compactions"] == 0


@sampled("preset", ["hierarchical", "hermes", "crabtalk", "picoclaw", "drop-middle"], ["hermes"])
def test_every_preset_says_what_it_would_do_and_does_it(shell: Shell, preset: str) -> None:
    shell.json("import", samples.path())
    compact = ("compact", "last", "--window", 48_000, "--set", f"preset={preset}")
    assert "step " in shell(*compact, "--dry-run").out
    done = shell(*compact)
    assert done.code == 0
    assert done.out.index("step ") < done.out.index("before ") < done.out.index("after ")


def test_compact_says_what_it_decided_and_what_it_made(shell: Shell) -> None:
    shell.json("import", samples.path())
    done = shell.json("compact", "last", "--window", 32_000)
    assert done["after_tokens"] < done["before_tokens"]
    assert done["evidence"].keys() == {"kept", "left"}
    assert done["calls"] == 0
    for made in done["summaries"]:
        assert {"id", "depth", "tokens", "method", "first_id", "last_id", "covers"} <= made.keys()
        assert shell.json("describe", made["id"])["messages"] == made["covers"]
    assert shell.json("stats")["compactions"] >= len(done["summaries"])


def test_compact_asks_the_model_that_is_named_and_none_without_a_name(shell: Shell) -> None:
    shell.json("import", samples.path())
    compact = ("compact", "last", "--window", 32_000, "--set")
    assert "names no known provider" in shell(*compact, "summary_model=nobody:x").err
    assert "add --set summary_model=" in shell(*compact, "summarizer=model").err
    assert shell.json("stats")["compactions"] == 0
    assert shell.json(*compact, "summary_model=scripted:anything")["calls"] > 0


def test_compact_for_a_person_shows_before_and_after_and_each_summary(shell: Shell) -> None:
    shell.json("import", samples.path())
    said = shell("compact", "last", "--window", 32_000).out
    assert said.index("decision") < said.index("before") < said.index("after") < said.rindex("extractive")
    assert "model calls: 0" in said
    again = shell.json("compact", "last", "--window", 32_000)
    assert again["after_tokens"] < again["before_tokens"]


def test_compact_goes_on_until_under_the_tokens_asked_for(sample: Shell) -> None:
    done = sample.json("compact", "last", "--until-under", 2_000)
    assert done["after_tokens"] <= 2_000 < done["before_tokens"]


def test_facts_that_left_the_window_are_found_and_read_back(sample: Shell) -> None:
    for fact in samples.FACTS:
        found = sample.json("grep", f'"{fact}"', "last", "--scope", "message")
        assert found["total"] >= 1, fact
        (entry,) = sample.json("expand", found["hits"][0]["id"])["entries"]
        assert fact in json.dumps(entry["parts"], ensure_ascii=False), fact
        assert fact in sample("expand", found["hits"][0]["id"]).out


def test_hits_have_the_settled_fields_and_the_total_counts_what_was_not_shown(sample: Shell) -> None:
    found = sample.json("grep", "board", "--limit", 2)
    assert len(found["hits"]) == 2 < found["total"]
    for hit in found["hits"]:
        settled = {"id", "kind", "conversation", "role", "time", "rank", "depth", "snippet", "tokens"}
        assert hit.keys() == settled | {"expand_tokens", "covers", "first_id", "last_id", "current"}
    said = sample("grep", "board", "--limit", 2).out
    assert f"({found['total'] - 2:,} more: --limit" in said


def test_a_search_without_a_hit_exits_like_grep(sample: Shell) -> None:
    ran = sample("grep", "nobodysaidthis OR board NOT board")
    assert (ran.code, ran.out) == (1, "no hit: nobodysaidthis is found nowhere here\n")
    told = sample("grep", "zyzzyva|xylophone").out
    assert told.endswith("in this grammar: 'zyzzyva OR xylophone'\n")
    assert sample("grep", "NOT board NOT board", "--before", "2001-01-01").out == (
        "no hit: the pattern excludes everything\n"
    )
    assert sample("grep", "board", "--before", "2001-01-01").out.startswith(
        "no hit: each of the words occurs"
    )


def test_a_search_is_narrowed_by_role_and_time(sample: Shell) -> None:
    everything = sample.json("grep", "board", "--scope", "message", "--limit", 500)
    times = sorted(hit["time"] for hit in everything["hits"])
    middle = times[len(times) // 2]
    later = sample.json("grep", "board", "--since", middle, "--scope", "message", "--limit", 500)
    earlier = sample.json("grep", "board", "--before", middle, "--scope", "message", "--limit", 500)
    assert 0 < later["total"] < everything["total"] == later["total"] + earlier["total"]
    assert sample.json("grep", "board", "--last", "1h")["total"] == 0
    tools = sample.json("grep", "board", "--role", "tool")["hits"]
    assert {hit["role"] for hit in tools} == {"tool"}
    for command in ("grep", "search"):
        failed = sample(command, "board", "--since", "soon")
        assert (failed.code, "ISO 8601" in failed.err) == (2, True)
    for place in ((), ("last",)):
        answers = sample.json("search", "board", *place, "--role", "tool", "--before", middle)["passages"]
        assert answers
        assert all(one["role"] == "tool" and one["time"] < middle for one in answers)


def test_a_summary_opens_into_its_sources_down_to_the_exact_messages(sample: Shell) -> None:
    (top,) = [item for item in sample.json("window", "last")["items"] if item["kind"] == "summary"][:1]
    outline = sample.json("describe", top["id"])
    opened = sample.json("expand", top["id"], "--messages")["entries"]
    shown = sample.json("show", "last", "--start", top["first"], "--limit", outline["messages"])["messages"]
    assert [entry["id"] for entry in opened] == [message["id"] for message in shown]
    assert [entry["parts"] for entry in opened] == [message["parts"] for message in shown]
    assert [one["id"] for one in sample.json("expand", top["id"])["entries"]] == outline["children"]


def test_results_can_be_left_out_of_what_is_expanded(sample: Shell) -> None:
    ids = [
        one["id"] for one in sample.json("show", "last", "--limit", 40)["messages"] if one["role"] == "tool"
    ]
    whole, without = sample("expand", ids[0]).out, sample("expand", ids[0], "--no-results").out
    assert len(without) < len(whole)


def test_an_outline_says_what_reading_each_level_costs(sample: Shell) -> None:
    (top,) = [item for item in sample.json("window", "last")["items"] if item["kind"] == "summary"][:1]
    outline = sample.json("describe", top["id"])
    assert outline["tokens_by_level"]["0"] > outline["tokens_by_level"]["1"]
    assert outline["first_time"] <= outline["last_time"]
    assert outline["files"]
    said = sample("describe", top["id"]).out
    assert "to read" in said
    assert "made from" in said


def test_stats_count_what_is_stored(sample: Shell) -> None:
    found = sample.json("stats")
    known = sample.json("list")["conversations"]
    assert found["messages"] == sum(one["messages"] for one in known)
    assert found["conversations"] == len(known)
    assert sum(found["summaries_by_depth"].values()) > 0
    assert found["size_bytes"] > 100_000
    assert str(sample.db) in sample("stats").out


def test_without_a_database_there_is_nothing_and_none_is_made(shell: Shell) -> None:
    assert shell.json("list")["conversations"] == []
    assert shell.json("stats")["messages"] == 0
    assert str(shell.db) in shell("list").out
    assert not shell.db.exists()


def test_the_common_options_may_stand_before_the_command(
    sample: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = sample.json("list")
    for words in (
        ["--db", str(sample.db), "list", "--json"],
        ["--json", f"--db={sample.db}", "list"],
        ["--owner", OWNER, "--json", "--db", str(sample.db), "list"],
    ):
        assert main(words) == 0, words
        assert json.loads(capsys.readouterr().out) == expected
    assert main(["--json", "config", "show"]) == 0
    assert json.loads(capsys.readouterr().out)["schema"].startswith("palimpsest.config")
    for words in (
        ["--db"],
        ["--db", str(sample.db)],
        ["--nonsense", "list"],
        ["--db", str(sample.db), "nonsense"],
    ):
        assert main(words) == 2, words


def test_a_list_is_narrowed_by_folder_agent_time_and_number(shell: Shell, tmp_path: Path) -> None:
    folders = ("/srv/quay", "/srv/quay/east", "/srv/mill")
    for number, folder in enumerate(folders):
        line = {
            "type": "user",
            "uuid": f"u{number}",
            "sessionId": f"s{number}",
            "cwd": folder,
            "version": "2.1.0",
            "parentUuid": None,
            "isSidechain": False,
            "timestamp": f"2026-10-0{number + 1}T10:00:00Z",
            "message": {"role": "user", "content": f"Look at lamp {number}."},
        }
        (tmp_path / f"s{number}.jsonl").write_text(json.dumps(line) + "\n")
    assert shell("import", str(tmp_path)).code == 0

    def ids(*options: str) -> list[str]:
        return [one["id"] for one in shell.json("list", *options)["conversations"]]

    assert ids() == ["s2", "s1", "s0"]
    assert ids("--project", "/srv/quay") == ids("--project", "quay") == ["s1", "s0"]
    assert ids("--project", "/srv/quay/") == ["s1", "s0"]
    assert ids("--agent", "claude-code", "--limit", "1") == ["s2"]
    assert ids("--agent", "codex") == ids("--project", "/srv/qua") == []
    assert ids("--since", "2026-10-02") == ["s2", "s1"]
    assert {one["folder"] for one in shell.json("list")["conversations"]} == {
        "/srv/quay",
        "/srv/quay/east",
        "/srv/mill",
    }
    assert "no conversation matches" in shell("list", "--agent", "codex").out
    assert shell("list", "--since", "tomorrowish").code == 2
