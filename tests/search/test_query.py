"""What a pattern asks for: operators, their precedence, and that any text is a pattern or is refused with a reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import UsageError
from palimpsest.limits import MAX_PATTERN_CHARS, MAX_PATTERN_NESTING, MAX_PATTERN_WORDS
from palimpsest.search.query_grammar import (
    All,
    Any,
    Node,
    Not,
    Query,
    Term,
    leaves,
    parse,
    with_literal_names,
    with_literal_signs,
)


def written(words: str) -> bool:
    """Whether somebody wrote these words as such: `themese` is only ever a piece of another."""
    return words != "themese"


def shown(node: Node) -> str:
    """A query with every parenthesis written out; parts of words with their open ends."""
    match node:
        case All(parts):
            return "(" + " & ".join(map(shown, parts)) + ")"
        case Any(parts):
            return "(" + " | ".join(map(shown, parts)) + ")"
        case Not(part):
            return f"!{shown(part)}"
        case Term() if node.whole:
            return node.words.replace(" ", "_")
        case Term():
            return "%" * node.open_left + node.words.replace(" ", "_") + "%" * node.open_right


@pytest.mark.parametrize(
    "pattern, meaning",
    [
        ("timeout", "timeout"),
        ("timeout retry", "(timeout & retry)"),
        ("timeout AND retry", "(timeout & retry)"),
        ("a OR b c", "(a | (b & c))"),
        ("a b OR c d", "((a & b) | (c & d))"),
        ("(a OR b) c", "((a | b) & c)"),
        ("a NOT b", "(a & !b)"),
        ("a AND NOT b OR c", "((a & !b) | c)"),
        ("NOT a", "!a"),
        ("NOT NOT a", "a"),
        ("NOT (a OR b)", "!(a | b)"),
        ("(((a)))", "a"),
        ("a and b or not c", "(a & and & b & or & not & c)"),
        ('a "OR" b', "(a & or & b)"),
        ('"one two" three', "(one_two & three)"),
        ('"one two', "one_two"),
        ('say "" twice', "(say & twice)"),
        ("src/app/main.py", "src_app_main_py"),
        ("snake_case", "snake_case"),
        ("NEAR(a b) body:x* ^y", "(near_a & b & body_x & y)"),
        ("--- +1", "1"),
        ("main(argv) (call())", "(main_argv & call)"),
        ("(a OR b)AND(c OR d)", "((a | b) & (c | d))"),
        ('(a)OR"b c"', "(a | b_c)"),
        ("a NOT%part%", "(a & !%part%)"),
        ("NOT(NOT(a))AND(b)", "(!!a & b)"),
        ("(hello", "hello"),
        ("hello) there)", "(hello & there)"),
        ("a () b", "(a & b)"),
        ("a )( b", "(a & b)"),
        ("(NOT a) b", "(!a & b)"),
        ("检查日志", "检_查_日_志"),
        ("テスト3回", "テ_ス_ト_3_回"),
        ("Naïve CAFÉ Größe", "(naive & cafe & grosse)"),
        ("%part% begin% %end", "(%part% & begin% & %end)"),
        ("%src/ma%", "%src_ma%"),
        ('"%two words%"', "%two_words%"),
        ("%öße ﬁ% %log数据%", "(%osse & fi% & %log_数_据%)"),
        ("%日%", "%日%"),
        ("5% of 100%", "(5 & of & 100%)"),
        ("a % b", "(a & b)"),
    ],
)
def test_a_pattern_is_a_tree(pattern: str, meaning: str) -> None:
    assert shown(parse(pattern).root) == meaning


@pytest.mark.parametrize(
    "pattern, inner",
    [
        ("abcde", False),
        ("abcdef", True),
        ("p/main", True),
        ("......", False),
        ('"two words"', False),
        ('"src/app ma"', True),
        ("%abc%", True),
    ],
)
def test_a_word_of_six_characters_is_looked_for_inside_of_others(pattern: str, inner: bool) -> None:
    assert [term.inner for term, _ in leaves(parse(f"{pattern} x").root) if term.words != "x"] == (
        [inner] * (pattern != "......")
    )


@pytest.mark.parametrize(
    "pattern, meaning",
    [
        ("getThemes", "%getthemes%"),
        ("_id", "id"),
        ("themes x", "(themes & x)"),
        ("src/app/main.py OR v2", "(%src_app_main_py% | v2)"),
        ("it.works NOT getThemes", "(%it_works% & !getthemes)"),
        ('"the themes.py"', "the_themes_py"),
        ("%themes", "%themes"),
        ("Themes THEMES 主题A", "(themes & themes & 主_题_a)"),
        ("themese theme2 these", "(%themese% & %theme2% & these)"),
    ],
)
def test_a_name_is_looked_for_as_it_was_typed_and_plain_words_are_not(pattern: str, meaning: str) -> None:
    assert shown(with_literal_names(parse(pattern).root, written)) == meaning


@pytest.mark.parametrize(
    "pattern, signs",
    [
        ("C++ OR (.net)", ["c++", ".net"]),
        ("src/App, themes getThemes 'ok'!", ["src/app", "", "", ""]),
        ("%a-b% NOT c-d x", ["", "", ""]),
    ],
)
def test_the_signs_of_what_is_typed_are_known(pattern: str, signs: list[str]) -> None:
    assert [term.sign for term, _ in leaves(with_literal_signs(parse(pattern).root, written))] == signs


def test_after_not_a_word_stands_for_whole_words_only() -> None:
    found = list(leaves(parse("NOT transaction NOT %action% NOT (NOT reaction)").root))
    assert [(term.words, term.inner, wanted) for term, wanted in found] == [
        ("transaction", False, False),
        ("action", True, False),
        ("reaction", True, True),
    ]


@pytest.mark.parametrize("pattern", ["", "   ", "***", '""', "- _ /", "\0", "\ud800", "()", "%", "%%%"])
def test_a_pattern_without_a_word_is_refused(pattern: str) -> None:
    with pytest.raises(UsageError, match="no word"):
        parse(pattern)


@pytest.mark.parametrize(
    "pattern, reason",
    [
        ("AND", "AND has no operands"),
        ("NOT NOT", "NOT has no operands"),
        ("( OR )", "OR has no operands"),
        ("a AND", "AND lacks a word"),
        ("OR a", "OR lacks a word"),
        ("a OR OR b", "OR lacks a word"),
        ("a AND OR b", "AND lacks a word"),
        ("a NOT", "NOT lacks a word"),
        ("(a OR) b", "OR lacks a word"),
        ("(AND a)", "AND lacks a word"),
        ("%ab%", "too short"),
        ("%a", "too short"),
        ("a%", "too short"),
        ("x" * (MAX_PATTERN_CHARS + 1), "characters"),
        ("x " * 50_000, "characters"),
        (" ".join(f"w{number}" for number in range(MAX_PATTERN_WORDS + 1)), "words"),
        ("(a " * (MAX_PATTERN_NESTING + 1) + ")" * (MAX_PATTERN_NESTING + 1), "nested"),
    ],
)
def test_an_unusable_pattern_is_refused_with_a_reason_and_a_way_out(pattern: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason) as refused:
        parse(pattern)
    assert refused.value.hint


def _parsed(pattern: str) -> Query | None:
    try:
        return parse(pattern)
    except UsageError:
        return None


PIECES = st.lists(
    st.sampled_from(
        [*"()\"%' \n", "AND", " AND ", "OR ", "NOT ", " a", "bcd", "日", "é", "_", "%x", "\0", "\ud800"]
    )
    | st.text(max_size=3),
    max_size=40,
).map("".join)


@given(PIECES | st.text(max_size=60))
def test_any_text_is_a_pattern_or_is_refused(pattern: str) -> None:
    query = _parsed(pattern)
    terms = list(leaves(query.root)) if query is not None else [(Term("a", "a"), True)]
    assert terms
    assert all(term.words and '"' not in term.words and term.words == term.words.strip() for term, _ in terms)
    assert all(term.whole or term.inner for term, _ in terms)
    assert all(wanted or not (term.whole and term.inner) for term, wanted in terms)


def test_the_longest_chain_of_operators_is_read() -> None:
    assert shown(parse("NOT " * 490 + "a").root) == "a"
    assert shown(parse("NOT " * 491 + "a").root) == "!a"
    deep = MAX_PATTERN_NESTING - 1
    assert shown(parse("(" * deep + "a" + ")" * deep).root) == "a"
    assert shown(parse("(" * 999 + "a" + ")" * deep).root) == "a"
    assert shown(parse("a" + "(" * 900 + " " + ")" * 900).root) == "a"
