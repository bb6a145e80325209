"""A remark that a name was cut goes where the whole name is put in."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.names.shortened import without_remarks

WHOLE = "4d8e2f61-0b9c-4a37-9e15-c27d40b8a6f3"
RIGHTS = {"4d8e2f61": WHOLE, "seats.py": "src/booking/seats.py"}


@pytest.mark.parametrize(
    "remark",
    [
        *(
            "` (shortened)",
            " (truncated)",
            " (gekürzt)",
            " (ID abgekürzt)",
            " (abrégé)",
            " (acortado)",
            " [cut off]",
        ),
        *(
            " (abbreviato)",
            " (encurtado)",
            " (ingekort)",
            " (skrócony)",
            " (сокращено)",
            "（以下略）",
            "（省略）",
        ),
        *(
            " （略）",
            "（缩写）",
            " (생략)",
            " (shortened for brevity)",
            "** (first 8 characters)",
            "以下略",
            ", shortened",
        ),
        " (the rest is left out)",
    ],
)
def test_a_remark_that_it_was_cut_goes(remark: str) -> None:
    mark = remark.rstrip("(（")[: len(remark) - len(remark.lstrip("`*"))]
    assert without_remarks(f"- Job {mark}{WHOLE}{remark}.", RIGHTS) == f"- Job {mark}{WHOLE}{mark}."


@pytest.mark.parametrize(
    "line",
    [
        f"- Job {WHOLE} (shortened window of 20 minutes)",
        f"- Job {WHOLE} (gekürzte Fassung)",
        f"- Job {WHOLE} (truncated tables: 4)",
        f"- Job {WHOLE} (left out)",
        f"- Job {WHOLE} truncated the table events",
        f"- Job {WHOLE}, shortened by Ines",
        f"- ジョブ {WHOLE}（三浦さんの分）",
        "- src/booking/seats.py (truncated)",
        "- The report (shortened) is out",
    ],
)
def test_what_is_told_of_the_thing_stays(line: str) -> None:
    assert without_remarks(line, RIGHTS) == line
