"""Names at the end of a line that break off, held against what they are the beginning of."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.exact import Exact
from palimpsest.summarize.audit.names.beginnings import begun
from palimpsest.summarize.audit.names.identifiers import doubts

SOURCE = Exact(
    "host berth-db-2.harbour.example:5433 reads /srv/quay/src/board/render.py and /srv/quay/src/tides.py\n"
    "config/gate-7.toml; tests/test_planner.py::test_overlap - KeyError: 'B-14', gate K-73\n"
    "load_tide_table() and parseManifest; https://quay.example/api/v2/manifests/open; ticket HB-4471\n"
    "ERR-7F3A-2291, mara@harbour.example, s3://quay-archive/2026/manifests.parquet, loadUsers, re-used\n"
    "quay-gate-prod-17, branch feature/gate-opening-times, QUAY_DB_URL, ~/quay/notes/pilots.md, Kran-Planung\n"
)
LINES = (
    "- {}",
    "- the host is {}",
    "- Der Rechner ist `{}`",
    "- le fichier **{}**",
    "- 主机在{}",
    "- хост {}",
)


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize(
    "said, whole",
    [
        ("berth-db-2.harb", "berth-db-2.harbour.example:5433"),
        ("berth-db-2.harbour.exa", "berth-db-2.harbour.example:5433"),
        ("/srv/quay/src/boa", "/srv/quay/src/board/render.py"),
        ("/srv/quay/src/board/render.p", "/srv/quay/src/board/render.py"),
        ("/srv/qu", "/srv/quay"),
        ("config/gate-7.to", "config/gate-7.toml"),
        ("tests/test_planner.py::test_over", "tests/test_planner.py::test_overlap"),
        ("load_tide_ta", "load_tide_table"),
        ("parseMani", "parseManifest"),
        ("https://quay.example/api/v2/mani", "https://quay.example/api/v2/manifests/open"),
        ("HB-44", "HB-4471"),
        ("ERR-7F3", "ERR-7F3A-2291"),
        ("mara@harb", "mara@harbour.example"),
        ("s3://quay-arch", "s3://quay-archive/2026/manifests.parquet"),
        ("quay-gate-pr", "quay-gate-prod-17"),
        ("feature/gate-open", "feature/gate-opening-times"),
        ("QUAY_DB_U", "QUAY_DB_URL"),
        ("~/quay/notes/pil", "~/quay/notes/pilots.md"),
    ],
)
def test_a_name_that_breaks_off_becomes_the_whole_one(line: str, said: str, whole: str) -> None:
    found = {doubt.text: doubt.right for doubt in doubts(line.format(said), SOURCE)}
    assert found in ({said: whole}, {said.rpartition("::")[2]: whole.rpartition("::")[2]})


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize(
    "said",
    [
        "berth-db-2", "/srv/quay/src", "/srv/quay/src/board", "/srv/quay/src/board/", "config/", "quay-gate",
        "tests/test_planner.py", "test_planner.py", "load_tide_table", "HB-4471", "quay-gate-prod", "QUAY_DB",
        "feature/gate-opening", "re-use", "Kran-Plan", "loadUser", "mara", "gate", "render", "5433",
        "/srv/quay/src/boa*", "K-73", "B-14", "F-16",
    ],
)  # fmt: skip
def test_a_short_form_a_folder_and_a_word_are_no_beginnings(line: str, said: str) -> None:
    assert list(begun(line.format(said), SOURCE)) == []


def test_a_name_in_the_midst_of_a_line_and_a_new_one_beside_the_old_are_left() -> None:
    assert list(begun("- /srv/quay/src/boa is read", SOURCE)) == []
    assert list(begun("- test_planner.py is renamed to test_planne", SOURCE)) == []


@pytest.mark.parametrize(
    "line, right",
    [
        ("- It failed with KeyError: 'B-41'.", "B-14"),
        ("- K-37 is the gate.", "K-73"),
        ("- Tor K-37 ist zu.", "K-73"),
        ("- 泊位B-41空闲", "B-14"),
        ("- the K-74 valve", None),
        ("- an F-16 flew by", None),
    ],
)
def test_figures_behind_a_letter_are_put_in_their_order(line: str, right: str | None) -> None:
    assert [doubt.right for doubt in doubts(line, SOURCE)] == [right] * bool(right)
