"""`palimpsest prices`: what models cost and who says so; prices that are kept, with their dates."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from palimpsest.config.prices import prices_file
from palimpsest.price.rates import set_user_prices
from palimpsest.price.table import find_price
from tests.cli.run import Shell
from tests.costs.test_report import START_S

NEWEST = [
    {
        "id": "anthropic",
        "name": "Anthropic",
        "api_pattern": r"https://example\.invalid",
        "model_match": {"starts_with": "claude-"},
        "models": [
            {
                "id": "claude-sonnet-4-5",
                "match": {"starts_with": "claude-sonnet-4-5"},
                "prices": {
                    "input_mtok": 2,
                    "cache_read_mtok": 0.2,
                    "cache_write_mtok": 2.5,
                    "output_mtok": {"base": 9, "tiers": [{"start": 100_000, "price": 11}]},
                },
            }
        ],
    }
]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, unconfigured: None) -> Iterator[None]:
    """Prices are kept in a folder of this test alone."""
    os.environ["XDG_DATA_HOME"] = str(tmp_path / "data")
    yield
    set_user_prices(None)


@pytest.fixture
def newest() -> Iterator[str]:
    """The address of a list of prices on this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/prices" else 404)
            self.end_headers()
            self.wfile.write(json.dumps(NEWEST).encode())

        def log_message(self, *args: object) -> None:
            """Nothing is logged."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/prices"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_models_prices_are_shown_with_their_source_and_date(shell: Shell) -> None:
    found = shell.json("prices", "claude-sonnet-4-5")
    (one,) = found["models"]
    assert (one["input"], one["cached"], one["written"], one["output"]) == (3, 0.3, 3.75, 15)
    assert one["tiers"][0]["above_tokens"] == 200_000
    assert "genai-prices" in one["source"]
    assert found["cache_table"] in one["source"]
    assert "claude-sonnet-4-5" in shell("prices", "claude-sonnet-4-5").out


def test_an_unlisted_model_shows_the_assumption(shell: Shell) -> None:
    (one,) = shell.json("prices", "nobody-9")["models"]
    assert one["assumed"]
    assert "the prices are an assumption" in shell("prices", "nobody-9").out


def test_prices_that_were_set_hold_in_every_command_until_they_are_removed(shell: Shell) -> None:
    assert shell("prices", "my-gateway/fast", "--set", "input=2,cached=0.5,output=7").code == 0
    (one,) = shell.json("prices", "my-gateway/FAST")["models"]
    assert (one["input"], one["cached"], one["written"], one["output"], one["assumed"]) == (
        2,
        0.5,
        2,
        7,
        False,
    )
    assert one["source"].startswith(f"set by hand on {one['kept']}")
    assert find_price("my-gateway/fast", time_s=START_S).rates.output == pytest.approx(7e-6)
    assert [row["model"] for row in shell.json("prices")["models"]] == ["my-gateway/fast"]
    assert shell.json("prices", "my-gateway/fast", "--remove")["models"][0]["assumed"]


def test_newer_prices_are_fetched_when_asked_and_hold_from_that_day_on(shell: Shell, newest: str) -> None:
    ran = shell("prices", "claude-sonnet-4-5", "nobody-9", "--update", "--from", newest)
    assert (ran.code, "fetched the prices of 1 model" in ran.err) == (0, True)
    assert "nobody-9: not in the newest list" in ran.err
    (one,) = shell.json("prices", "claude-sonnet-4-5")["models"]
    assert (one["input"], one["cached"], one["written"], one["output"]) == (2, 0.2, 2.5, 9)
    assert one["tiers"] == [
        {"above_tokens": 100_000, "input": 2, "cached": 0.2, "written": 2.5, "output": 11}
    ]
    assert one["source"].startswith(f"genai-prices, fetched on {one['kept']}")
    assert find_price("claude-sonnet-4-5", time_s=1_760_000_000).rates.input == pytest.approx(3e-6)


def test_what_was_set_by_hand_is_not_overwritten_by_an_update(shell: Shell, newest: str) -> None:
    shell("prices", "claude-sonnet-4-5", "--set", "input=1,output=4")
    ran = shell("prices", "claude-sonnet-4-5", "--update", "--from", newest)
    assert "set by hand and unchanged" in ran.err
    assert shell.json("prices", "claude-sonnet-4-5")["models"][0]["input"] == 1


def test_a_list_that_cannot_be_had_leaves_the_prices_as_they_are(shell: Shell, newest: str) -> None:
    ran = shell("prices", "claude-sonnet-4-5", "--update", "--from", newest + "/nothing", "--json")
    assert (ran.code, ran.json["error"]["kind"], ran.json["error"]["retryable"]) == (1, "fetch", True)
    assert not prices_file().exists()


@pytest.mark.parametrize(
    "given", ["input=1", "input=-1,output=2", "input=1,output=nan", "price=3", "", "input=1,output=1e9"]
)
def test_what_is_no_price_is_refused(shell: Shell, given: str) -> None:
    assert shell("prices", "some-model", f"--set={given or ','}").code == 2
    assert not prices_file().exists()


@pytest.mark.parametrize(
    "text", ["{}", "[{}]", "not json", '[{"model":"a","date":"","source":"","lines":[]}]']
)
def test_a_file_that_cannot_be_read_is_named(shell: Shell, text: str) -> None:
    prices_file().parent.mkdir(parents=True)
    prices_file().write_text(text, encoding="utf-8")
    ran = shell("prices", "claude-sonnet-4-5")
    assert (ran.code, "prices.json cannot be used" in ran.err) == (4, True)


def test_two_things_at_once_are_refused(shell: Shell) -> None:
    assert shell("prices", "a", "--update", "--remove").code == 2
    assert shell("prices", "--remove").code == 2
