"""Here-documents are no part of the command that they are given to."""

from __future__ import annotations

import pytest

from palimpsest.toolcalls.shell_commands import HEREDOC_BODY


@pytest.mark.parametrize(
    "command, plain",
    [
        ("cat > a.py <<'EOF'\nimport os\nEOF\nmake", "cat > a.py \nmake"),
        ("psql <<SQL -q && make\nselect 1;\nSQL", "psql  -q && make"),
        ("cat <<-END\n\tone\n\tEND\n", "cat \n"),
        ("echo 1 << 2", "echo 1 << 2"),
        ("cat <<EOF\nnever ends", "cat <<EOF\nnever ends"),
    ],
)
def test_a_command_is_read_without_its_here_documents(command: str, plain: str) -> None:
    assert HEREDOC_BODY.sub(r"\3", command) == plain


@pytest.mark.parametrize("text", ["<<A\n" * 3_000, "<<EOF\n" + "x\n" * 20_000, "cat <<E\n" * 800 + "E\n"])
def test_many_beginnings_cost_little(text: str) -> None:
    assert len(HEREDOC_BODY.sub(r"\3", text[:20_000])) <= len(text)
