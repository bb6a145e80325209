"""Where a value in a query ends; a password with the signs of a query in it goes whole."""

from __future__ import annotations

import re

import pytest

from palimpsest.summarize.secrets.redact import redact

HELD = re.compile(r"\[secret:[0-9a-f]{6}\]")


@pytest.mark.parametrize(
    "text, tail",
    [
        ("password=Xk29dk&3l-a=Q2", "3l-a=Q2"),
        ("pw=Xk29&d-k=3lQzz9", "d-k=3lQzz9"),
        ("DB_PASSWORD=Xk29dk&3la=Q2z", "3la=Q2z"),
        ("password=Xk29dk&l-a=Q2z", "l-a=Q2z"),
        ("passwd=Zr4&tn7=Lvx9Q", "tn7=Lvx9Q"),
        ("password: Zr4&t=Lvx9Q", "t=Lvx9Q"),
    ],
)
def test_a_password_with_the_signs_of_a_query_goes_whole(text: str, tail: str) -> None:
    assert tail not in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "https://a.example/?token={}9Zr4TnL7&v=2",
        "https://a.example/x?password={}&p=2",
        "https://a.example/x?api_key={}9Zr4TnL7&a1=4",
        "username=anna&password={}&remember_me=1",
        "password={}&user=anna",
        "password={}&p=2&user=anna&q=1",
        "client_secret={}9Zr4TnL7&grant_type=x",
        "https://a.example/cb#access_token={}9Zr4TnL7&id=2&state=x",
    ],
)
def test_further_parameters_stay(text: str) -> None:
    shown = redact(text.format("Xk29dk3lQ"))
    assert HELD.sub("?", shown) == text.replace("9Zr4TnL7", "").format("?")
