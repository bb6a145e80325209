"""Files of every version of the schema are read by the present program: all that was in them is there, and sound.

`versions/1.sqlite` was made by the program that had version 1. Before a second version is released,
`versions/2.sqlite` is made by the code of that release (`python -m tests.stores.test_versions 2`) and joins it; a
file that is there is never made again. As long as version 1 is not released, its file is made anew where its schema
changes.
"""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import sys
import tempfile
from pathlib import Path

import pytest

from palimpsest.budget.stubs import stubbed
from palimpsest.record.message import Message, Text, ToolResult
from palimpsest.record.window_items import StubItem
from palimpsest.stores.sqlite import SqliteStore, migrations
from tests.contract.kit import ANN, append, history, say, window_of
from tests.stores.damage import OTHER, examined, filled

FOLDER = Path(__file__).parent / "versions"
FILES = sorted(FOLDER.glob("*.sqlite"))


def test_there_is_a_file_of_every_version() -> None:
    assert [one.stem for one in FILES] == [str(number) for number, _ in migrations.migrations()]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
async def test_a_file_of_an_earlier_version_is_brought_up_to_date_with_nothing_lost(
    tmp_path: Path, file: Path
) -> None:
    path = Path(shutil.copy(file, tmp_path / "talks.db"))
    raw = sqlite3.connect(path)
    assert raw.execute("PRAGMA user_version").fetchone() == (int(file.stem),)
    raw.close()
    store = await SqliteStore.open(path)
    said = [one.message.text for one in await history(store)]
    assert (len(said), said[0], said[-1]) == (10, "message number1", "edited, and longer")
    assert [one.id for one in (await window_of(store)).items][:1] == ["s3"]
    assert len(await history(store, talk=OTHER)) == 3
    assert len(await history(store, owner="bob")) == 3
    assert (await store.pins(ANN, "talk"))[0].text == "message number3"
    await append(store, [say("and on it goes")])
    await store.close()
    assert (await examined(path)).sound


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
async def test_a_stub_of_an_earlier_version_keeps_the_note_that_it_has(tmp_path: Path, file: Path) -> None:
    store = await SqliteStore.open(Path(shutil.copy(file, tmp_path / "talks.db")))
    stubs = [item for item in (await window_of(store)).items if isinstance(item, StubItem)]
    assert [(item.id, item.note) for item in stubs] == [("x1", "see m8")]
    message = Message("tool", (ToolResult("c", (Text("rows " * 900),)), ToolResult("d")))
    assert [one.text for one in stubbed(message, stubs[0].note).results] == ["see m8", "see m8"]
    await store.close()


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    made = FOLDER / f"{sys.argv[1]}.sqlite"
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(asyncio.run(filled(Path(folder) / "made.db")), made)
