"""The default token estimate: its bounds on any text, its size, and how near it comes on invented texts."""

from __future__ import annotations

import random
import subprocess
import sys
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rs_bpe.bpe import openai

from palimpsest.budget import calibration, token_estimator
from palimpsest.budget.token_estimator import count_text

ANY_TEXT = st.text(st.characters(codec=None), max_size=300)
SCRIPTS = ("latin", "cjk", "other")

ENGLISH = (
    "The nightly export failed again because the disk filled up before the second archive was written. I moved the "
    "old archives away, freed about forty gigabytes, and started the export by hand. It has been running for ten "
    "minutes without an error, so I would leave it alone and look at the log tomorrow morning."
)
CODE = '''def merge(left: list[int], right: list[int]) -> list[int]:
    """Both lists in one, in order."""
    merged, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
    return merged + left[i:] + right[j:]
'''
RECORDS = (
    '[{"order_id": "W2378156", "status": "delivered", "items": [{"name": "Desk Lamp", "price": 135.24, "quantity": 1}, '
    '{"name": "Water Bottle", "price": 49.9, "quantity": 2}], "paid": true, "coupon": null}]'
)
SHELL = """$ pytest -q tests/store
....F...                                                                 [100%]
FAILED tests/store/test_lease.py::test_expired_lease_is_taken - AssertionError: assert 'old' == 'new'
1 failed, 7 passed in 0.42s
"""
GERMAN = (
    "Die nächtliche Sicherung ist wieder fehlgeschlagen, weil die Festplatte voll war, bevor das zweite Archiv "
    "geschrieben wurde. Ich habe die alten Archive verschoben und die Sicherung von Hand gestartet. Seit zehn Minuten "
    "läuft sie ohne Fehler, deshalb würde ich sie in Ruhe lassen und morgen früh ins Protokoll schauen."
)
VIETNAMESE = (
    "Bản sao lưu ban đêm lại thất bại vì ổ đĩa đã đầy trước khi kho lưu trữ thứ hai được ghi xong. Tôi đã chuyển các "
    "bản cũ sang chỗ khác và bắt đầu sao lưu bằng tay."
)
JAPANESE = (
    "夜間のバックアップがまた失敗しました。二つ目のアーカイブを書き込む前にディスクがいっぱいになったためです。"
    "古いアーカイブを移動して、手動でバックアップを開始しました。十分ほどエラーなしで動いているので、明日の朝にログを確認します。"
)
KOREAN = (
    "야간 백업이 또 실패했습니다. 두 번째 아카이브를 쓰기 전에 디스크가 가득 찼기 때문입니다. 오래된 아카이브를 옮기고 "
    "백업을 직접 시작했습니다. 십 분 동안 오류 없이 실행되고 있으니 내일 아침에 로그를 확인하겠습니다."
)
CHINESE = (
    "昨天晚上的备份又失败了，因为在写第二个归档之前磁盘就满了。我把旧的归档移到了别的地方，然后手动启动了备份。"
    "现在已经运行了十分钟，没有出现任何错误，所以我建议先不要动它，明天早上再看日志。"
)
NEAR = {
    "English prose": (ENGLISH, 62, 0.06),
    "code": (CODE, 100, 0.06),
    "JSON": (RECORDS, 73, 0.06),
    "shell output": (SHELL, 55, 0.08),
    "German": (GERMAN, 65, 0.12),
    "Vietnamese": (VIETNAMESE, 50, 0.15),
    "Japanese": (JAPANESE, 72, 0.08),
    "Korean": (KOREAN, 69, 0.08),
    "Chinese": (CHINESE, 66, 0.2),
}
"""Text, exact tokens, and how far the estimate may lie off. The exact counts are checked below, too."""


@given(ANY_TEXT)
def test_any_text_counts_at_least_one_token_and_at_most_its_bytes(text: str) -> None:
    """The empty text counts nothing."""
    tokens = count_text(text)
    assert bool(text) <= tokens <= len(text.encode("utf-8", "surrogatepass"))


@given(ANY_TEXT)
def test_a_count_does_not_depend_on_what_was_counted_before(text: str) -> None:
    """The cache holds judgements, never opinions of its own."""
    warm = count_text(text)
    token_estimator.forget()
    assert count_text(text) == warm


@given(ANY_TEXT, ANY_TEXT)
def test_two_texts_joined_count_nearly_what_they_count_apart(first: str, second: str) -> None:
    """Only the pieces at the seam and the belief in the rare ones differ."""
    apart = count_text(first) + count_text(second)
    assert abs(count_text(first + second) - apart) <= 8 + apart * 0.25


@given(ANY_TEXT)
def test_the_pieces_of_a_text_join_to_the_text(text: str) -> None:
    """Nothing is left uncounted."""
    assert "".join(token_estimator.pieces(text)) == text


@given(
    st.text(st.characters(max_codepoint=0x24F) | st.characters(min_codepoint=0x2000, max_codepoint=0x206F))
)
def test_european_text_is_cut_alike_whatever_stands_behind_it(text: str) -> None:
    whole = token_estimator.pieces(f"{text}\n\n灯")
    assert token_estimator.pieces(f"{text}\n\n") == whole[:-1]


@given(st.text(st.characters(codec="utf-8"), max_size=200))
def test_the_pieces_are_the_vocabularys_own(text: str) -> None:
    """Exact counts of the pieces add up to the exact count of the text, but for blanks and rare letters."""
    encoder = openai.o200k_base()
    exact = encoder.count(text)
    assert abs(sum(map(encoder.count, token_estimator.pieces(text))) - exact) <= 3 + exact * 0.1


@pytest.mark.parametrize("name", NEAR)
def test_an_invented_text_is_counted_nearly_exactly(name: str) -> None:
    """The counts in the table are exact, and ours come near them."""
    text, exact, share = NEAR[name]
    assert openai.o200k_base().count(text) == exact
    assert abs(count_text(text) - exact) <= exact * share


@pytest.mark.parametrize(
    "text, exact",
    [("ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ ᎠᎴ ᎪᏪᎵ", 45), ("ꀀꀁꀂꀃ ꀄꀅꀆ", 21), ("ⴰⵣⵓⵍ ⴼⵍⵍⴰⵡⵏ", 30), ("བོད་སྐད་ཡིག", 18)],
)
def test_a_script_without_words_in_the_vocabulary_costs_nearly_its_bytes(text: str, exact: int) -> None:
    """Cherokee, Yi, Tifinagh and Tibetan: characters / 4 would say 3 to 6 tokens."""
    assert openai.o200k_base().count(text) == exact
    assert exact * 0.8 <= count_text(text) <= exact * 1.25


@pytest.mark.parametrize(
    "text",
    [
        "\ud800" * 40,
        "\0" * 40,
        " " * 100_000,
        "\n \t" * 40_000,
        "A" * 100_000,
        "你" * 100_000,
        "\U0010ffff" * 40,
    ],
    ids=["lone surrogates", "NUL", "spaces", "blank lines", "one word", "one character", "private"],
)
def test_strange_texts_are_counted_like_any_other(text: str) -> None:
    """No text raises or takes long."""
    assert 1 <= count_text(text) <= len(text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize(
    "run,repeated,exact",
    [
        ("x", 2_000, 250),
        ("x", 200_000, 25_000),
        ("ha", 500, 251),
        ("-", 10_000, 156),
        ("=", 1_000, 16),
        ("!", 1_000, 63),
        ("\n", 5_000, 313),
        ("\t", 3_000, 188),
        (" ", 5_000, 40),
        ("─", 3_000, 188),
        ("🙂", 500, 500),
        ("✅", 500, 500),
    ],
)
def test_a_long_run_of_the_same_is_never_counted_as_a_few_tokens(run: str, repeated: int, exact: int) -> None:
    assert 0.45 * exact <= count_text(run * repeated) <= 1.1 * exact


@pytest.mark.parametrize(
    "text",
    [
        "wtf" * 200,
        "lol" * 300,
        "asdf" * 100,
        "ferryonthestoneriver" * 20,
        "".join(random.Random(1).choices("acdefghiklmnpqrstvwy", k=900)),
    ],
)
def test_letters_that_are_no_word_at_any_length_come_near(text: str) -> None:
    exact = openai.o200k_base().count(text)
    assert 0.7 * exact <= count_text(text) <= 1.8 * exact


def test_ten_million_characters_are_sampled_and_come_near() -> None:
    """A tenth of a second, and the same count a character as one copy of the text."""
    copies = 10_000_000 // len(CODE)
    assert count_text(CODE * copies) == pytest.approx(count_text(CODE) * copies, rel=0.05)


def test_a_text_just_over_the_limit_counts_like_one_just_under_it() -> None:
    """Sampling makes no jump that could turn a decision."""
    text = (ENGLISH + "\n") * 100
    under, over = text[: token_estimator.LONG_CHARS], text[: token_estimator.LONG_CHARS + 1]
    assert count_text(over) == pytest.approx(count_text(under), rel=0.05)


def test_the_cache_never_grows_beyond_its_bound() -> None:
    """Also when every piece is new; pieces too long to come again are not kept."""
    token_estimator.forget()
    for start in range(0, token_estimator.CACHE_PIECES + 4_000, 1_000):
        count_text(" ".join(f"w{_letters(number)}" for number in range(start, start + 1_000)))
        assert token_estimator.cached() <= token_estimator.CACHE_PIECES
    token_estimator.forget()
    count_text("x" * (token_estimator.CACHED_PIECE_CHARS + 1))
    assert token_estimator.cached() == 0


def test_the_tables_take_at_most_25_kilobytes() -> None:
    """They travel with every installation."""
    folder = resources.files("palimpsest.budget") / "tables"
    assert 10_000 < sum(len(file.read_bytes()) for file in folder.iterdir() if file.is_file()) <= 25_000


def test_importing_the_estimator_reads_no_table() -> None:
    """The tables are read at the first count."""
    program = (
        "from palimpsest.budget import token_estimator; assert not token_estimator.loaded(); "
        "token_estimator.count_text('hello'); assert token_estimator.loaded()"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False, timeout=60).returncode == 0


@given(st.integers(0, 10**7), st.integers(0, 10_000), st.sampled_from([*SCRIPTS, "unheard of"]))
def test_a_margin_is_never_under_three_percent_and_falls_with_more_messages(
    tokens: int, messages: int, script: str
) -> None:
    """More messages even out."""
    margin = calibration.margin_tokens(tokens, messages, script)
    assert margin * 100 >= tokens * 3
    assert margin >= calibration.margin_tokens(tokens, messages + 100, script)


def test_every_script_has_a_margin_for_every_number_of_messages() -> None:
    """The table is written by a command; its form must hold."""
    assert sorted(calibration.PER_MILLE) == sorted(SCRIPTS)
    assert {len(row) for row in calibration.PER_MILLE.values()} == {len(calibration.MESSAGES)}


@pytest.mark.parametrize(
    "text, script",
    [
        ("", "latin"),
        (ENGLISH, "latin"),
        (GERMAN, "latin"),
        (VIETNAMESE, "latin"),
        ("Доброе утро, сегодня хорошая погода", "latin"),
        (JAPANESE, "cjk"),
        (KOREAN, "cjk"),
        (CHINESE * 1_000, "cjk"),
        ("สวัสดีครับ วันนี้อากาศดี", "other"),
        ("مرحبا بالعالم", "other"),
    ],
)
def test_the_dominant_script_of_a_text(text: str, script: str) -> None:
    """Latin stands for every script with cases."""
    assert calibration.dominant_script(text) == script


def _letters(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))
