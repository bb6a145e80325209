"""What models send is understood where it is plain, and answered with a helpful error where it is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.engine.tools.arguments import MAX_IDS, Arguments, Field, read_arguments, read_ids, schema_of
from palimpsest.errors import UsageError

FIELDS = (
    Field("pattern", "text", "What.", "query q", required=True),
    Field("message_ids", "ids", "Which.", "ids id message_id"),
    Field(
        "scope",
        "text",
        "Where.",
        choices=("summary", "message", "both"),
        meanings={"summaries": "summary", "messages": "message", "all": "both"},
    ),
    Field("include_results", "flag", "Whether.", "results"),
    Field("limit", "number", "How many.", "max_results"),
)


def read(**arguments: object) -> Arguments:
    return read_arguments({"pattern": "x", **arguments}, FIELDS)


@pytest.mark.parametrize(
    "arguments",
    [
        {"pattern": "tide"},
        {"query": "tide"},
        {"Q": "  tide "},
        {"pattern": ["tide"]},
        '{"pattern": "tide"}',
        "tide",
        {"pattern": "tide", "nonsense": 3},
        {"pattern": None, "query": "tide"},
        {"arguments": {"query": "tide"}},
        {"Input": {"pattern": "tide", "limit": 3}},
        {"arguments": '{"pattern": "tide"}'},
        '"{\\"pattern\\": \\"tide\\"}"',
    ],
)
def test_a_text_is_found_under_the_names_that_models_give_it(arguments: object) -> None:
    assert read_arguments(arguments, FIELDS).text("pattern") == "tide"


@pytest.mark.parametrize(
    "given_ids",
    [
        ["m12", "s3"],
        "m12,s3",
        "m12 s3",
        '["m12", "s3"]',
        "[m12] and [s3]",
        [12, "s3"],
        [12.0, "summary 3"],
        ["message_12", "S3"],
        "#m12; id s3",
        [{"id": "m12"}, {"id": "s3"}],
        ["m12", ["s3"]],
        ["m12", "s3", "m12"],
        '<summary_ref id="m12"/> <summary_ref id="s3"/>',
        "message m12, summary s3",
        ["messages: #m12", "summary #s3"],
    ],
)
@pytest.mark.parametrize("name", ["message_ids", "messageIds", "ids", "id", "message-id"])
def test_ids_are_taken_in_any_spelling(name: str, given_ids: object) -> None:
    assert read(**{name: given_ids}).ids("message_ids") == ("m12", "s3")


@pytest.mark.parametrize(
    "text", ["m3-m9", "m3..m9", "m3 to m9", "3-9", "m3 – m9", "messages m3 through m9"[9:]]
)
def test_a_range_of_ids_is_one(text: str) -> None:
    assert read_ids(text) == ["m3-m9"]


@pytest.mark.parametrize("text", ["zzz", "m", "-m3", "m12x", "x9", "1e400", "../m12", "o3"])
def test_what_is_no_id_is_refused_with_what_one_looks_like(text: str) -> None:
    with pytest.raises(UsageError, match="m12 or s3"):
        read(ids=text)


def test_what_is_no_id_stands_beside_those_that_are() -> None:
    assert read(ids=["src/app.py", "m3", "m5-m6"]).ids("message_ids") == ("m3", "m5-m6", "src/app.py")


def test_more_ids_than_one_call_takes_are_refused() -> None:
    assert len(read(ids=[f"m{number}" for number in range(1, MAX_IDS + 1)]).ids("message_ids")) == MAX_IDS
    with pytest.raises(UsageError, match="at most"):
        read(ids=[f"m{number}" for number in range(1, MAX_IDS + 2)])


@pytest.mark.parametrize(
    "said, meant", [("messages", "message"), ("Summaries", "summary"), ("BOTH", "both"), ("all", "both")]
)
def test_choices_are_taken_by_their_other_names(said: str, meant: str) -> None:
    assert read(scope=said).text("scope") == meant


def test_an_unknown_choice_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="summary, message, both"):
        read(scope="everywhere at once")


@pytest.mark.parametrize(
    "said, meant",
    [(True, True), ("true", True), ("Yes", True), (1, True), ("1.0", True), ("no", False), (0, False)],
)
def test_flags_are_taken_as_words_and_numbers(said: object, meant: bool) -> None:
    assert read(include_results=said).flag("include_results") is meant


@pytest.mark.parametrize(
    "said, meant",
    [
        (7, 7),
        ("7", 7),
        (7.0, 7),
        ("7.0", 7),
        (-3, 1),
        (10**6, 50),
        (10**400, 50),
        ("9" * 15, 50),
        (1e300, 50),
        ("", 9),
        ("all", 9),
        (None, 9),
    ],
)
def test_numbers_are_taken_as_text_and_kept_within_bounds(said: object, meant: int) -> None:
    assert read(limit=said).number("limit", 9, 50) == meant


@pytest.mark.parametrize("said", ["many", "1e3", True, [3], float("nan"), float("inf")])
def test_what_is_no_number_is_refused(said: object) -> None:
    with pytest.raises(UsageError, match="whole number"):
        read(limit=said)


@pytest.mark.parametrize(
    "arguments", [{}, {"pattern": ""}, {"pattern": "  "}, None, "", "{}", {"what": "tide"}]
)
def test_a_missing_argument_is_named_with_all_there_are(arguments: object) -> None:
    with pytest.raises(UsageError, match=r"pattern is missing.*arguments: pattern, message_ids\?"):
        read_arguments(arguments, FIELDS)


def test_the_name_of_the_schema_goes_before_others() -> None:
    assert read_arguments({"query": "other", "pattern": "own"}, FIELDS).text("pattern") == "own"
    assert read_arguments({"pattern": "own", "query": "other"}, FIELDS).text("pattern") == "own"


def test_the_schema_names_every_argument_and_refuses_others() -> None:
    schema = schema_of(FIELDS)
    assert schema["required"] == ["pattern"]
    assert schema["additionalProperties"] is False
    assert list(schema["properties"]) == [one.name for one in FIELDS]  # type: ignore[call-overload]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
names = st.sampled_from(
    ("pattern", "query", "ids", "message_ids", "scope", "include_results", "limit")
) | st.text(max_size=8)


def understood(arguments: object) -> Arguments | str:
    """The arguments, or what is said of them."""
    try:
        return read_arguments(arguments, FIELDS)
    except UsageError as error:
        return str(error)


@given(st.dictionaries(names, values, max_size=5) | values)
def test_whatever_is_given_is_understood_or_refused(arguments: object) -> None:
    found = understood(arguments)
    assert isinstance(found, Arguments) or 0 < len(found) < 500
    checked = found if isinstance(found, Arguments) else read()
    assert checked.text("pattern")
    assert checked.text("scope") in {"", "summary", "message", "both"}
    assert all(one[0] in "ms" for one in checked.ids("message_ids"))
