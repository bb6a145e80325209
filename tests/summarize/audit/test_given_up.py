"""What was left for another thing was rejected; what was taken was not."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.deeds.closest import told_as_done
from palimpsest.summarize.source import MessageEntry, Source
from tests.summarize.dialogues import assistant, user

SAID = {
    "en": (
        "I decided to use an interval tree instead of a sorted list because overlaps are asked for often.",
        "I will use Redis rather than Memcached for the cache.",
        "Instead of cron jobs, we are going to use systemd timers.",
    ),
    "de": ("Ich habe mich entschieden, einen Intervallbaum statt einer sortierten Liste zu nehmen.",),
    "fr": ("J'ai décidé d'utiliser un arbre d'intervalles au lieu d'une liste triée.",),
    "es": ("Voy a usar un árbol de intervalos en lugar de una lista ordenada.",),
    "ru": ("Я решил использовать дерево интервалов вместо отсортированного списка.",),
    "zh": ("我决定使用区间树而不是有序列表，因为经常查询重叠。",),
    "ja": ("ソート済みリストの代わりに区間木を使うことにしました。",),
}


def struck(language: str, line: str) -> list[str]:
    """The sentences of a line that did not happen."""
    messages = (user("Build the planner."), *map(assistant, SAID[language]))
    entries = tuple(MessageEntry(f"m{at}", one, 9) for at, one in enumerate(messages, 1))
    return list(told_as_done([line], Source("leaf", entries)))


@pytest.mark.parametrize(
    "language, line",
    [
        ("en", "A sorted list was rejected."),
        ("en", "The sorted list was discarded."),
        ("en", "A sorted list has been ruled out."),
        ("en", "We decided against a sorted list."),
        ("en", "Sorted list: rejected."),
        ("en", "Memcached was rejected for the cache."),
        ("en", "Cron jobs were abandoned."),
        ("de", "Eine sortierte Liste wurde verworfen."),
        ("fr", "La liste triée a été rejetée."),
        ("es", "La lista ordenada fue descartada."),
        ("ru", "Отсортированный список был отклонён."),
        ("zh", "有序列表被否决。"),
        ("ja", "ソート済みリストは却下しました。"),
    ],
)
def test_what_was_left_for_another_thing_was_rejected(language: str, line: str) -> None:
    assert struck(language, line) == []


@pytest.mark.parametrize(
    "line",
    [
        "The interval tree was rejected.",
        "Redis was rejected for the cache.",
        "A sorted list was implemented.",
        "The cache was migrated to Redis.",
    ],
)
def test_what_was_taken_was_not_rejected_and_what_was_left_was_not_made(line: str) -> None:
    assert struck("en", line) == [line]


@pytest.mark.parametrize(
    "said, line",
    [
        ("I considered Redis and rejected it: the host has none.", "Redis rejected: the host has none."),
        (
            "The cluster is ruled out, since its quota is used up.",
            "The cluster was ruled out: quota used up.",
        ),
        (
            "Das Hafenbüro haben wir verworfen, es schließt um vier.",
            "Verworfen: das Hafenbüro, es schließt um vier.",
        ),
    ],
)
def test_what_somebody_tells_to_be_rejected_was(said: str, line: str) -> None:
    messages = (user("In Redis, on the cluster, or at the Hafenbüro?"), assistant(said))
    entries = tuple(MessageEntry(f"m{at}", one, 9) for at, one in enumerate(messages, 1))
    assert list(told_as_done([line], Source("leaf", entries))) == []
