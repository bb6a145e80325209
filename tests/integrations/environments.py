"""Make an environment for each framework, check the adapter's types, and run the suite there.

    python -m tests.integrations.environments NAME ...

Without names it takes all. An environment stays until what it needs changes. One that fails does not keep the others
from running; the exit code is 1 if any failed.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
TABLE = tomllib.loads((Path(__file__).parent / "environments.toml").read_text(encoding="utf-8"))
HOME = ROOT / ".venv-integrations"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = {
    name.replace("-", "_"): needs for name, needs in PROJECT["optional-dependencies"].items()
}
STEP_S = 1_200
SHOWN_LINES = 150
WARNINGS = "-W default -W ignore::ResourceWarning"
"""The frameworks' own warnings are no failures. The processes of xdist read this variable, but no option -W."""


def requirements(name: str) -> list[str]:
    """What pip installs for a framework, palimpsest with its extra first."""
    extras = ["tokens", *([name] if name in EXTRAS else [])]
    return ["--editable", f".[{','.join(extras)}]", *TABLE["common"]["needs"], *TABLE[name]["needs"]]


def stamp(name: str) -> str:
    """A digest of everything that an environment depends on."""
    parts = [
        sys.version,
        *requirements(name),
        *PROJECT["dependencies"],
        *EXTRAS["tokens"],
        *EXTRAS.get(name, ()),
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def run(*command: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command in the project's folder, and keep what it prints."""
    return subprocess.run(
        [*map(str, command)], cwd=ROOT, env=os.environ | variables, text=True, timeout=STEP_S, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def make(name: str) -> str:
    """Make an environment unless it is there; what went wrong, "" for nothing."""
    place = HOME / name
    python, done = place / "bin" / "python", place / ".installed"
    if done.exists() and done.read_text(encoding="utf-8") == stamp(name):
        return ""
    shutil.rmtree(place, ignore_errors=True)
    uv = (sys.executable, "-m", "uv")
    ways = (
        (
            (*uv, "venv", "--quiet", "--python", sys.executable, place),
            (*uv, "pip", "install", "--quiet", "--python", python),
        ),
        ((sys.executable, "-m", "venv", "--clear", place), (python, "-m", "pip", "install", "--quiet")),
    )
    said = ""
    for begin, install in ways:
        for command in (begin, (*install, *requirements(name))):
            made = run(*command)
            if made.returncode:
                said = made.stdout
                break
        else:
            done.write_text(stamp(name), encoding="utf-8")
            return ""
    return said


def suite(name: str) -> tuple[bool, str]:
    """Run the tests in an environment: whether they passed, and what pytest printed."""
    here = (
        f"--ignore=tests/integrations/test_{one}.py" for one in ("adapters", "threads")
    )  # `make test` runs them
    options = ("-q", "-n", "2", "--dist", "worksteal", *here)
    done = run(
        HOME / name / "bin" / "python", "-m", "pytest", *options, "tests/integrations",
        PALIMPSEST_INTEGRATION=name, PYTHONDONTWRITEBYTECODE="", PYTEST_ADDOPTS=WARNINGS,
    )  # fmt: skip
    return done.returncode == 0, done.stdout


def types(name: str) -> str:
    """Check the types of an adapter against its framework; the errors, "" for none."""
    adapter = ROOT / "src" / "palimpsest" / "integrations" / f"{name}.py"
    if not adapter.exists():
        return ""
    project = HOME / name / "pyrightconfig.json"
    settings = {"include": [str(adapter)], "typeCheckingMode": "basic", "reportMissingModuleSource": False}
    project.write_text(json.dumps(settings), encoding="utf-8")
    python = HOME / name / "bin" / "python"
    done = run(Path(sys.executable).parent / "basedpyright", "--project", project, "--pythonpath", python)
    return done.stdout if done.returncode else ""


def main(names: list[str]) -> int:
    """Test frameworks one after the other; 1 if one failed."""
    known = [name for name in TABLE if name != "common"]
    if unknown := [name for name in names if name not in known]:
        print(f"there is no environment {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    failed: list[str] = []
    for name in names or known:
        start_s = time.monotonic()
        said = make(name)
        said = said or types(name)
        passed, printed = (False, said) if said else suite(name)
        took_s = time.monotonic() - start_s
        last = printed.rstrip().rpartition("\n")[2].strip("= ")
        print(f"{name:18} {'ok' if passed else 'FAILED':7} {took_s:5.0f} s  {last}", flush=True)
        if not passed:
            failed.append(name)
            print("\n".join(printed.splitlines()[-SHOWN_LINES:]), flush=True)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
