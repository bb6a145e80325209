"""Laws of redacting that hold for any text."""

from __future__ import annotations

import json
import string

from hypothesis import given
from hypothesis import strategies as st

from bench.secret_specimens import KNOWN, LOOKALIKES, told
from bench.secret_unseen import UNSEEN
from palimpsest.redaction.detector import PLACEHOLDER, find_secrets
from palimpsest.redaction.redactor import Redactor, placeholder, redact
from tests.redaction.planted import ran

TOLD = [told(one) for one in (*KNOWN.values(), *UNSEEN.values())]
SIGNS = st.text(alphabet="ab1_-=:;,.\"'\\/ \n\t{}[]()<>|$&@é", max_size=40)
PIECES = st.one_of(
    st.sampled_from([text for text, _ in TOLD]), st.sampled_from(LOOKALIKES), SIGNS, st.text(max_size=40)
)
TEXTS = st.lists(PIECES, max_size=4).flatmap(
    lambda pieces: st.sampled_from(["\n", " ", "", '"', "\\n"]).map(lambda between: between.join(pieces))
)
VALUES = st.recursive(
    st.one_of(TEXTS, st.integers(), st.booleans(), st.none()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["password", "api_key", "token", "body", "command"]), inner, max_size=3
        ),
        inner.map(json.dumps),
    ),
    max_leaves=5,
)


@given(TEXTS)
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


@given(TEXTS)
def test_spans_are_in_order_and_apart_and_what_is_not_in_them_stays(text: str) -> None:
    spans = ran(find_secrets(text))
    places = [0, *(place for span in spans for place in span), len(text)]
    assert places == sorted(places)
    assert all(start < end for start, end in spans)
    rest = [text[end:start] for end, start in zip(places[::2], places[1::2], strict=True)]
    shown = Redactor().without(text, spans)
    assert "".join(PLACEHOLDER.sub("", shown).split()) == "".join(PLACEHOLDER.sub("", "".join(rest)).split())


@given(st.lists(st.text(string.ascii_letters + " ,.!?", max_size=60), max_size=5).map("\n".join))
def test_a_text_of_words_comes_back_as_it_is(text: str) -> None:
    assert redact(text) == text


@given(st.one_of(st.text(min_size=9), st.sampled_from([secret for _, secret in TOLD])))
def test_a_placeholder_does_not_hold_its_secret(secret: str) -> None:
    name = placeholder(secret)
    assert PLACEHOLDER.fullmatch(name)
    assert secret not in name


@given(VALUES, st.booleans())
def test_json_text_stays_json_text(value: object, plain: bool) -> None:
    shown = redact(json.dumps(value, ensure_ascii=plain))
    assert type(json.loads(shown)) is type(value)


@given(st.sampled_from(TOLD), TEXTS)
def test_a_secret_that_one_text_holds_is_hidden_in_every_other(one: tuple[str, str], other: str) -> None:
    text, secret = one
    redactor = Redactor()
    ran(redactor.learn(text))
    assert secret not in redactor.redact(f"{other} <{secret}>") or not any(map(str.isdigit, secret))
