"""An invented path is put right where what stands beside it was done to one file, or in one folder, alone."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.audit import audit
from palimpsest.summarize.audit.meant import meant_by
from palimpsest.summarize.audit.repair import repair
from tests.summarize.audit.stories import grounds
from tests.summarize.dialogues import assistant, call, leaf, quarter, result, user

FERRY = leaf(
    [
        user("Let the ferry plan wait between two berths."),
        assistant(
            "",
            call("a", "Edit", file_path="/srv/ferry/plan/route.go", old_string="x", new_string="BerthPause"),
        ),
        result("a", "ok"),
        assistant(
            "",
            call("b", "Edit", file_path="/srv/ferry/plan/queue.go", old_string="x", new_string="QueueSize"),
        ),
        result("b", "ok"),
        assistant("", call("c", "Write", file_path="/srv/ferry/plan/route_test.go", content="BerthPause")),
        result("c", "ok"),
        assistant(
            "", call("d", "Edit", file_path="/srv/ferry/ferry.yaml", old_string="a", new_string="pause: 3")
        ),
        result("d", "ok"),
        assistant(
            "", call("e", "Bash", command="cd /srv/ferry && git commit -qam Pause && git log --oneline -1")
        ),
        result("e", "5be20d17 Pause"),
        assistant("The plan waits now."),
        user("Go on."),
    ]
)


@pytest.mark.parametrize(
    "line, name, path",
    [
        (
            "- internal/pier/wait.go: edited, QueueSize added",
            "internal/pier/wait.go",
            "/srv/ferry/plan/queue.go",
        ),
        ("- conf/pier.yaml: edited", "conf/pier.yaml", "/srv/ferry/ferry.yaml"),
        ("- conf/pier.yaml：已修改", "conf/pier.yaml", "/srv/ferry/ferry.yaml"),
        ("- git commit in /opt/pier: 5be20d17", "/opt/pier", "/srv/ferry"),
        ("- internal/pier/wait.go: edited, BerthPause added", "internal/pier/wait.go", ""),
        ("- internal/pier/wait.go: edited", "internal/pier/wait.go", ""),
        ("- internal/pier/wait.go: read", "internal/pier/wait.go", ""),
        ("- conf/pier.toml: edited", "conf/pier.toml", ""),
        ("- git commit in /opt/pier: 77777d17", "/opt/pier", ""),
    ],
)
def test_the_one_path_that_a_sentence_means(line: str, name: str, path: str) -> None:
    assert meant_by(line, name, FERRY) == path


def test_no_gap_is_left_where_one_file_is_meant() -> None:
    held = grounds(FERRY)
    text = (
        "## Goal\n- Let the ferry plan wait between two berths.\n## Progress\n- The plan waits now.\n## Files\n"
        "- internal/pier/wait.go: edited, QueueSize added\n## Commands and outcomes\n"
        "- git commit in /opt/pier: 5be20d17"
    )
    found = audit(text, held, whole=False)
    rest = repair(text, found, held, target_tokens=600, limit_tokens=1_200, count=quarter)[0]
    assert "- /srv/ferry/plan/queue.go: edited, QueueSize added" in rest
    assert "- git commit in /srv/ferry: 5be20d17" in rest
