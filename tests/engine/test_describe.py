"""The files that `describe` names: each once, whole where its whole path was said."""

from __future__ import annotations

from palimpsest.engine.reading.expand import MAX_FILES, files_in


def test_a_file_that_is_named_in_full_and_in_short_is_listed_once_in_full() -> None:
    texts = ["Look at store.py first.", "It is /srv/tide/store.py, and tide/store.py in the tests."]
    assert files_in(texts) == ("/srv/tide/store.py",)


def test_two_files_of_one_name_are_two() -> None:
    assert files_in(["store.py", "/srv/tide/store.py and /srv/quay/store.py"]) == (
        "/srv/tide/store.py",
        "/srv/quay/store.py",
    )


def test_routes_imports_and_the_marks_of_a_diff_are_no_files() -> None:
    patch = "diff --git a/tide/web.py b/tide/web.py\n--- a/tide/web.py\n+++ b/tide/web.py\n"
    assert files_in(["GET /boards/ASK", "import x from './web.js'", patch]) == ("tide/web.py",)


def test_no_more_files_are_listed_than_can_be_read() -> None:
    assert len(files_in([" ".join(f"quay/{number}.csv" for number in range(200))])) == MAX_FILES
