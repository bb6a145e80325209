"""Where things lie, an image, a link, a bucket, a remote, a module or a mount, is put right to what the source has."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.exact import Exact
from palimpsest.summarize.audit.names.identifiers import doubts

IMAGE, LINK, BUCKET = (
    "registry.harbour.example/gauge-reader:2.14.1",
    "https://tides.example/api/v2/stations/kiel",
    "s3://harbour-archive/raw/2031/tides.parquet",
)
REMOTE, MODULE, PACKAGE = (
    "git@git.harbour.example:marlin/sonar-tools.git",
    "github.com/marlin/sonar/pkg/echo",
    "@marlin/sonar-ui/dist/chart",
)
MOUNT, PANEL = "/srv/tides/data:/var/lib/gauge", "http://192.168.40.23:8080/api/panel/3"
SAID = Exact(
    "\n".join((IMAGE, LINK, BUCKET, REMOTE, MODULE, PACKAGE, MOUNT, f"panel {PANEL}"))
    + "\nteam postgres archive api raw; curl localhost:7070; GET /health/live; echo is in cmd/pump"
)


def put_right(line: str) -> list[tuple[str, str]]:
    return [(one.text, one.right) for one in doubts(line, SAID)]


@pytest.mark.parametrize(
    "wrong, right",
    [
        ("registry.harbour.example/postgres/gauge-reader:2.14.1", IMAGE),
        ("registry.harbour.example/postgres/gauge-reader", IMAGE),
        ("https://tides.example/api/team/v2/stations/kiel", LINK),
        ("https://tides.example/v2/stations/kiel", LINK),
        ("https://tides.example/api/v2/archive/kiel", LINK),
        ("https://tides.example/v2/api/stations/kiel", LINK),
        ("s3://harbour-archive/2031/tides.parquet", BUCKET),
        ("s3://harbour-archive/raw/team/2031/tides.parquet", BUCKET),
        ("git@git.harbour.example:marlin/team/sonar-tools.git", REMOTE),
        ("git@git.harbour.example:sonar-tools.git", REMOTE),
        ("github.com/marlin/sonar/team/pkg/echo", MODULE),
        ("github.com/marlin/sonar/echo", MODULE),
        ("@marlin/sonar-ui/chart", PACKAGE),
        ("/srv/tides/archive:/var/lib/gauge", MOUNT),
        ("/srv/tides/data:/var/lib/postgres/gauge", MOUNT),
        ("http://192.168.40.32:8080/api/panel/3", PANEL),
        ("192.168.40.32:8080", "192.168.40.23:8080"),
        ("192.168.40.32", "192.168.40.23"),
    ],
)
@pytest.mark.parametrize(
    "around", ["- uses {} now", "- 画像{}、ポート", "- 「{}」を使用", "- 地址：{}，正常"]
)
def test_a_folder_or_figures_that_are_wrong_are_put_right(wrong: str, right: str, around: str) -> None:
    assert put_right(around.format(wrong)) == [(wrong, right)]


@pytest.mark.parametrize(
    "line",
    [
        "https://git.harbour.example/marlin/sonar-tools",
        "github.com/marlin/sonar",
        "github.com/marlin/sonar/cmd/pump",
        "registry.harbour.example/gauge-reader",
        "registry.harbour.example/gauge-reader:2.14.1",
        "http://localhost:7070/health/live",
        "gauge-reader:2.14.1",
        "team/postgres/archive",
        f"{PANEL}、panel_id",
        f"{LINK}で動作",
        "kiel: 3/4, and/or",
    ],
)
def test_what_the_source_has_in_another_form_stays(line: str) -> None:
    assert put_right(f"- {line}") == []


@pytest.mark.parametrize(
    "line", ["https://tides.example/api/v3/stations/kiel", "http://192.168.40.24:8080/api/panel/3"]
)
def test_another_number_is_another_thing(line: str) -> None:
    assert put_right(f"- {line}") == [(line, "")]


def test_an_image_of_words_that_the_source_has_apart_is_invented() -> None:
    wrong = "registry.harbour.example/team/archive:1.0"
    assert put_right(f"- the image {wrong}") == [(wrong, "")]
