"""Where session files lie: names, locks, workspaces, owners, and what is refused."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

import palimpsest
from palimpsest.agent import session_log
from palimpsest.agent.session_file import file_name, locked, write_whole
from palimpsest.agent.session_log import (
    SessionLog,
    export_session,
    load_context,
    open_workspace,
    render_session,
)
from palimpsest.errors import NotFound, StoreError, UsageError


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_a_lock_that_is_not_given_up_is_an_error_that_can_be_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    async with locked(path):
        with pytest.raises(StoreError) as caught:
            async with locked(path, timeout_s=0.05):
                pass
    assert caught.value.retryable
    async with locked(path, timeout_s=0.05) as file:
        assert file.read() == b""


async def test_workspaces_share_nothing(tmp_path: Path) -> None:
    async with open_workspace(tmp_path / "ann") as one, open_workspace(tmp_path / "ben", owner="me") as two:
        await one.conversation("t").append({"role": "user", "content": "secret"})
        assert await two.conversations() == []
        done = await SessionLog(tmp_path / "ann").follow(one.conversation("t"))
        assert done.path == tmp_path / "ann" / "sessions" / "t.jsonl"
        assert load_context(done.path)[0].agent == "ann"
        assert not any(name.endswith(".jsonl") for name in names_in(tmp_path / "ben" / "sessions"))
    assert (tmp_path / "ann" / "sessions" / session_log.STORE_NAME).is_file()
    for path, mode in ((done.path.parent, 0o700), (done.path, 0o600)):
        assert stat.S_IMODE(path.stat().st_mode) == mode
    with pytest.raises(palimpsest.SettingsError):
        open_workspace(tmp_path / "x", preset="nobody's")
    assert not (tmp_path / "x").exists()


async def test_owners_and_strangers_get_files_of_their_own(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    log = SessionLog(tmp_path)
    log.folder.mkdir()
    write_whole(log.folder / "t.jsonl", b'{"role":"user","content":"not ours"}\n')
    found: list[Path] = []
    for owner in ("ann", "ben"):
        async with palimpsest.open(db, owner=owner) as engine:
            await engine.conversation("t").append({"role": "user", "content": f"I am {owner}."})
            found += [(await log.follow(engine.conversation("t"))).path for _ in range(2)]
    assert [path.name for path in found] == ["t-2.jsonl", "t-2.jsonl", "t-3.jsonl", "t-3.jsonl"]
    assert (log.folder / "t.jsonl").read_bytes() == b'{"role":"user","content":"not ours"}\n'


@pytest.mark.parametrize(
    "name", ["../../etc/x", "a/b", "..", ".", "CON", "nul.txt", "a\\b", "名前", " ", "x" * 400, "Up", "-"]
)
def test_no_name_leads_out_of_the_folder_or_meets_another(name: str) -> None:
    made = file_name(name)
    assert Path(made).name == made
    assert made.isascii()
    assert len(made) < 100
    assert not made.startswith((".", "-"))
    assert made != file_name(name.lower() + "x") != file_name(name)
    assert file_name(name, 1) == made + "-2"


def test_ordinary_ids_are_their_own_names_and_letters_do_not_collide() -> None:
    assert file_name("support-42") == "support-42"
    assert file_name("165f260f-80bd-4fa1-a31a-d51200626bfa") == "165f260f-80bd-4fa1-a31a-d51200626bfa"
    assert len({file_name(name).lower() for name in ("talk", "Talk", "TALK", "talk ", "ta/lk", "ta-lk")}) == 6


async def test_a_file_that_is_a_link_is_refused(tmp_path: Path) -> None:
    log = SessionLog(tmp_path)
    log.folder.mkdir()
    (tmp_path / "elsewhere").write_bytes(b"")
    (log.folder / "t.jsonl").symlink_to(tmp_path / "elsewhere")
    async with palimpsest.open(":memory:") as engine:
        await engine.conversation("t").append({"role": "user", "content": "Hi."})
        with pytest.raises(StoreError):
            await log.follow(engine.conversation("t"))
    assert (tmp_path / "elsewhere").read_bytes() == b""


async def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        load_context(tmp_path / "none.jsonl")
    async with palimpsest.open(":memory:") as engine:
        with pytest.raises(UsageError):
            await render_session(engine.conversation("nobody"))
        await engine.conversation("t").append({"role": "user", "content": "Hi."})
        with pytest.raises(StoreError):
            await export_session(engine.conversation("t"), tmp_path / "no" / "folder.jsonl")
    assert names_in(tmp_path) == []
