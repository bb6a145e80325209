"""`pin`, `unpin` and `pins`: the settled fields, texts for a person, and refusals."""

from __future__ import annotations

from palimpsest import samples
from tests.cli.run import Shell


def test_a_message_a_range_and_a_text_are_pinned_listed_and_unpinned(sample: Shell) -> None:
    made = sample.json("pin", "last", "m3")["pin"]
    assert made.keys() == {"id", "messages", "tokens", "time", "text"}
    assert made["messages"] == ["m3"]
    assert sample.json("pin", "last", "m5", "m7")["pin"]["messages"] == ["m5", "m6", "m7"]
    assert sample.json("pin", "last", "m9-m11")["pin"]["messages"] == ["m9", "m10", "m11"]
    assert sample.json("pin", "last", "--text", "Never on Fridays.")["pin"]["messages"] == []
    known = sample.json("pins", "last")
    assert next(one["id"] for one in known["pins"]) == made["id"]
    assert sum(one["tokens"] for one in known["pins"]) < known["tokens"] <= known["limit_tokens"]
    listed = sample("pins", "last").out
    assert "messages m5 to m7" in listed
    assert "Never on Fridays." in listed
    assert sample.json("unpin", "last", made["id"])["unpinned"] == made["id"]
    assert len(sample.json("pins", "last")["pins"]) == 3


def test_a_pinned_text_stands_in_the_window_and_in_the_budget(sample: Shell) -> None:
    assert sample("pin", "last", "--text", "Never on Fridays.").out.startswith("pinned p1: a text, ")
    view, known = sample.json("window", "last"), sample.json("pins", "last")
    assert view["regions"]["pins"] == known["tokens"] == known["shown_tokens"] > 0
    assert f"\n{known['shown_tokens']} in the window now" in sample("pins", "last").out
    assert "Never on Fridays." in sample("window", "last", "--as", "text").out
    assert sample("unpin", "last", "p1").out == "unpinned p1\n"
    assert "Never on Fridays." not in sample("window", "last", "--as", "text").out
    assert sample("pins", "last").out == "nothing is pinned\n"


def test_what_cannot_be_pinned_is_refused_with_the_settled_exit_codes(sample: Shell) -> None:
    assert sample("pin", "last").code == 2
    assert sample("pin", "last", "m1", "m2", "m3").code == 2
    assert sample("pin", "last", "m99999").code == 3
    assert sample("unpin", "last", "p9").code == 3
    refused = sample("pin", "last", "--text", "word " * 2_000, "--set", "pin_limit_tokens=100", "--json")
    assert refused.code == 2
    assert "they may take 100" in refused.json["error"]["message"]


def test_compact_says_by_kind_what_is_kept_and_what_is_one_search_away(shell: Shell) -> None:
    shell.json("import", samples.path())
    done = shell.json("compact", "last", "--window", 32_000)
    kinds = done["evidence_by_kind"]
    assert sum(one["kept"] for one in kinds.values()) == done["evidence"]["kept"]
    assert sum(one["left"] for one in kinds.values()) == done["evidence"]["left"]
    assert kinds["paths"]["kept"] > 0
    assert all(len(gone) <= kinds[kind]["left"] for kind, gone in done["gone_by_kind"].items())
    last = shell.json("compact", "last", "--record")["compactions"][-1]
    assert (last["evidence"], last["evidence_by_kind"]) == (done["evidence"], kinds)
    told = shell("compact", "last", "--record").out
    assert f"    paths {kinds['paths']['kept']:,}/{sum(kinds['paths'].values()):,} kept" in told
    said = shell("compact", "last", "--until-under", 2_000).out
    assert "one search away" in said
    assert max(map(len, said.splitlines())) <= 80
