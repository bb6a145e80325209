"""`forget` and `retain`: what goes is said first, is gone after, also from files, and nothing goes unasked."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.cli.chat.history import HISTORY_FILE, read_entries, remove_entries
from palimpsest.cli.commands.retain import read_age, read_size
from palimpsest.config.paths import user_folder
from palimpsest.errors import UsageError
from tests.cli.run import Shell, claude_lines
from tests.stores.remnants import remnants

WORD = "quixotryvellum"


def imported(shell: Shell, tmp_path: Path) -> Path:
    """A short transcript in the database; its file."""
    file = tmp_path / "session.jsonl"
    file.write_text(claude_lines("one", "first", f"the word is {WORD}", "third", "fourth"))
    assert shell("import", file).code == 0
    return file


def test_a_message_is_forgotten_and_an_import_does_not_bring_it_back(shell: Shell, tmp_path: Path) -> None:
    file = imported(shell, tmp_path)
    told = shell.json("forget", "last", "m2", "--dry-run")
    assert (told["applied"], told["messages"]) == (False, 1)
    done = shell.json("forget", "last", "m2", "--yes")
    assert (done["applied"], done["messages"], done["left"]) == (True, 1, [])
    assert shell.json("import", file)["conversations"][0]["added"] == 0
    assert shell.json("grep", WORD)["total"] == 0
    assert remnants(shell.db, [WORD]) == []
    assert shell("verify").code == 0
    assert "forgotten at its owner's wish" in shell("show", "last").out


def test_a_pin_that_repeats_it_is_named_before_and_goes_from_every_byte(shell: Shell, tmp_path: Path) -> None:
    imported(shell, tmp_path)
    texts = (f"{WORD.upper()}!", "third, fourth")
    pins = [shell.json("pin", "last", "--text", text)["pin"]["id"] for text in texts]
    assert shell.json("forget", "last", "m2", "--dry-run")["pins"] == pins[:1]
    assert f"1 pin would be deleted: {pins[0]}" in shell("forget", "last", "m2", "--dry-run").out
    assert f"1 pin deleted: {pins[0]}" in shell("forget", "last", "m2", "--yes").out
    assert [one["id"] for one in shell.json("pins", "last")["pins"]] == pins[1:]
    assert remnants(shell.db, [WORD, WORD.upper()]) == []


def test_nothing_goes_unless_somebody_says_yes(shell: Shell, tmp_path: Path) -> None:
    imported(shell, tmp_path)
    for words in (("forget", "last", "m2"), ("forget", "last"), ("forget", "--everything", "--json")):
        refused = shell(*words)
        assert refused.code == 2
        assert "--yes" in refused.out + refused.err
    assert shell.json("grep", WORD)["total"] == 1
    assert shell("forget").code == shell("forget", "last", "--everything").code == 2
    assert shell("forget", "last", "m99", "--yes").code == 3


def test_a_forgotten_conversation_is_skipped_by_an_import_until_it_is_asked_for(
    shell: Shell, tmp_path: Path
) -> None:
    file = imported(shell, tmp_path)
    out = shell("forget", "last", "--yes").out
    assert out.startswith("4 messages of one forgotten")
    assert shell.json("list")["conversations"] == []
    refused = shell("import", file)
    assert refused.code == 2
    assert "forgotten" in refused.err
    assert "do: palimpsest import --again" in refused.err
    assert shell.json("import", "--again", file)["conversations"][0]["added"] == 4


def test_an_export_of_everything_brings_back_a_forgotten_conversation_only_where_that_is_asked_for(
    shell: Shell, tmp_path: Path
) -> None:
    imported(shell, tmp_path)
    out = tmp_path / "all.jsonl"
    assert shell("export", "--all", out).code == 0
    assert shell("forget", "last", "--yes").code == 0
    told = shell("import", out).out
    assert "1 conversation left out, forgotten before: one\n   do: palimpsest import --again" in told
    assert shell.json("import", out)["exports"][0]["forgotten"] == ["one"]
    assert shell.json("grep", WORD)["total"] == 0
    assert shell.json("import", "--again", out)["exports"][0]["conversations"] == 1
    assert shell.json("grep", WORD)["total"] == 1


def test_exports_are_written_again_and_deleted_with_their_conversation_on_demand(
    shell: Shell, tmp_path: Path
) -> None:
    imported(shell, tmp_path)
    target, backup = tmp_path / "out.jsonl", tmp_path / "copy.db"
    shell.json("export", "last", target)
    assert shell("backup", backup).code == 0
    assert WORD in target.read_text()
    assert f"would be rewritten: {target}" in shell("forget", "last", "m2", "--dry-run").out
    assert f"still contains it: export {target}" in shell("forget", "last", "--dry-run").out
    assert f"would be deleted: {target}" in shell("forget", "last", "--dry-run", "--exports").out
    assert shell.json("forget", "--everything", "--dry-run")["files"]["deleted"] == []
    foreseen = shell.json("forget", "--everything", "--dry-run", "--exports")
    assert foreseen["files"]["deleted"] == [str(target)]
    done = shell.json("forget", "last", "m2", "--yes")
    assert done["files"]["rewritten"] == [str(target)]
    assert done["files"]["holding"] == [{"kind": "backup", "path": str(backup)}]
    assert WORD not in target.read_text()
    assert "fourth" in target.read_text()
    assert shell.json("forget", "last", "--yes", "--exports")["files"]["deleted"] == [str(target)]
    assert not target.exists()


def test_a_file_that_holds_something_else_by_now_is_neither_written_again_nor_deleted(
    shell: Shell, tmp_path: Path
) -> None:
    imported(shell, tmp_path)
    targets = [tmp_path / name for name in ("diary.txt", "other.jsonl", "gone.jsonl")]
    for target in targets:
        assert shell("export", "last", target).code == 0
    targets[0].write_text("my own words\n")
    targets[1].write_text('{"agent":"me","palimpsest":{"id":"another"}}\n')
    targets[2].unlink()
    kept = [target.read_text() for target in targets[:2]]
    out = shell("forget", "last", "m2", "--yes").out
    assert [f"not rewritten: {target}: it holds something else" in out for target in targets] == [
        True,
        True,
        False,
    ]
    shell("export", "last", targets[0], "--force")
    targets[0].write_text("my own words\n")
    done = shell.json("forget", "last", "--yes", "--exports")
    assert (done["files"]["deleted"], done["files"]["changed"]) == ([], [str(targets[0])])
    assert [target.read_text() for target in targets[:2]] == kept


def test_what_was_typed_into_the_chat_is_taken_out_of_its_memory(shell: Shell, tmp_path: Path) -> None:
    imported(shell, tmp_path)
    path = user_folder("state") / HISTORY_FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n# 2026-01-01\n+first\n\n# 2026-01-02\n+another\n+line\n")
    assert shell.json("forget", "last", "m1", "--yes")["typed_lines"] == 1
    assert [typed for _, typed in read_entries(path.read_text())] == ["another\nline"]


def test_retention_is_a_dry_run_unless_it_is_applied(shell: Shell, tmp_path: Path) -> None:
    imported(shell, tmp_path)
    told = shell.json("retain", "--larger-than", "1B")
    assert (told["applied"], [one["id"] for one in told["conversations"]]) == (False, ["one"])
    assert "add --apply to delete them" in shell("retain", "--larger-than", "0").out
    assert len(shell.json("list")["conversations"]) == 1
    assert shell.json("retain", "--larger-than", "0", "--apply")["applied"]
    assert shell.json("list")["conversations"] == []
    assert shell("retain", "--older-than", "1d").out.startswith("nothing to delete")
    assert shell("retain").code == shell("retain", "--older-than", "soon").code == 2


def test_finishing_what_was_not_interrupted_says_so(shell: Shell, tmp_path: Path) -> None:
    imported(shell, tmp_path)
    assert shell("forget", "--finish").out == "nothing was left to finish\n"


def test_ages_and_sizes_are_read() -> None:
    assert [read_age(text) for text in ("36h", "180d", "2w", None)] == [129_600, 15_552_000, 1_209_600, None]
    assert [read_size(text) for text in ("1GB", "1.5 MB", "10k", "7", None)] == [
        10**9,
        1_500_000,
        10_000,
        7,
        None,
    ]
    for wrong in ("", "d", "-1d", "1x", "1 day"):
        with pytest.raises(UsageError):
            read_age(wrong)
    for wrong in ("", "GB", "-1", "1XB"):
        with pytest.raises(UsageError):
            read_size(wrong)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20), max_size=6), st.data())
def test_only_the_lines_asked_for_are_unlearnt(
    tmp_path_factory: pytest.TempPathFactory, typed: list[str], data: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / "typed-history"
    path.write_text("".join(f"\n# 2026-01-01\n+{text}\n" for text in typed), encoding="utf-8")
    chosen = data.draw(st.lists(st.sampled_from(typed or [""]), max_size=3))
    wanted = {text.strip() for text in chosen if text.strip()}
    assert remove_entries(path, chosen) == sum(text.strip() in wanted for text in typed)
    left = [text for _, text in read_entries(path.read_text(encoding="utf-8"))]
    assert left == [text for text in typed if text.strip() not in wanted]
