"""Headers and cookies in the writings of clients, servers and programs: their values go, the text around them stays."""

from __future__ import annotations

import re

import pytest

from palimpsest.summarize.secrets.redact import redact

HELD = re.compile(r"\[secret:[0-9a-f]{6}\]")
HEADERS = (
    ("Authorization", "Basic ", "a2ltOkhhcmJvdXI3IUhhcmJvdXI3"),
    ("Authorization", "Bearer ", "q8Wk2mZr4TnL7vXc1BpD5sHy9JfG3aQe6UoN0iRt"),
    ("Authorization", "token ", "95247f2866028de71159b42b4ea410fb9102f29a"),
    ("Authorization", "GenieKey ", "2d133187-c8df-9524-7f28-66028de71159"),
    ("Authorization", "SSWS ", "nLOpaMxxNDi9LE1Ki3ylOjt6o0NpUmkVO8JmR8y4EM"),
    ("Proxy-Authorization", "Basic ", "Ym9hcmRzOkMzSjI3WERDRzJMbWxaR0U="),
    ("X-Api-Key", "", "87ff4adfa36d0840164709ab7f3f386d"),
    ("Api-Key", "", "Q7CF5puzQqmOBZZW6m4nyoL6uniiFw15"),
    ("X-Amz-Security-Token", "", "lLlx3+WxiJvB+54KxhmirSPWaLXzOfRH2KgRktLQrVrinBxP"),
    ("Private-Token", "", "zDmbX1rpXjYdOhCgOIPO"),
    ("X-Consul-Token", "", "0b1789a6-c52c-f63c-0337-8ec16c03888a"),
    ("Cookie", "sessionid=", "k2j4h5k2jh34kjh5k2j3h4k5jh2"),
    ("Set-Cookie", "theme=dark; sid=", "IY7uq6T2bwGfcCvJAXrF6bnZ3eB"),
)
REQUEST = ("POST /oauth HTTP/1.1", "Host: a.example", "{h}", "Accept: */*")
WRITINGS = {
    "bytes": r"send: b'" + r"\r\n".join(REQUEST) + r"\r\n\r\n'",
    "line feeds": 'req = "' + r"\n".join(REQUEST) + r'\n"',
    "twice": 'raw="' + r"\\r\\n".join(REQUEST) + r'\\r\\n"',
    "last": r"b'GET / HTTP/1.1\r\nHost: a.example\r\n{h}\r\n'",
    "numbers": "data=b'" + r"\x0d\x0a".join(REQUEST) + "'",
    "log": 'DEBUG http {{"raw": "' + r"\r\n".join(REQUEST) + r'\r\n"}}',
    "capture": "\n".join(f"    {line}\\r\\n" for line in REQUEST) + "\n    \\r\\n",
    "offsets": "=> Send header\n0000: GET / HTTP/1.1\n0010: {h}\n0034: Accept: */*",
    "call": "  _header: 'GET / HTTP/1.1\\r\\n' +\n    '{h}\\r\\n' +\n    '\\r\\n',",
    "tuples": "[(b'host', b'a.example'), (b'{n}', b'{v}'), (b'accept', b'*/*')]",
    "list": "  rawHeaders: [\n    'Host', 'a.example',\n    '{n}', '{v}',\n    'Accept', '*/*'\n  ]",
    "map": "map[Accept:[*/*] {n}:[{v}] Host:[a.example]]",
    "typed map": 'http.Header{{"Accept":[]string{{"*/*"}}, "{n}":[]string{{"{v}"}}}}',
    "arrows": '{{"Host"=>["a.example"], "{n}"=>["{v}"]}}',
    "lists": "{{Host=[a.example], {n}=[{v}], Accept=[*/*]}}",
    "named": '{{"headers":[{{"name":"Host","value":"a.example"}},{{"name":"{n}","value":"{v}"}}]}}',
    "cassette": "      {n}:\n      - {v}\n      Accept:\n      - '*/*'",
    "setter": 'req.Header.Set("{n}", "{v}")',
    "server": 'proxy_set_header {n} "{v}";',
}


@pytest.mark.parametrize("writing", WRITINGS)
@pytest.mark.parametrize("name, scheme, secret", HEADERS)
def test_the_value_of_a_header_goes_and_the_text_around_it_stays(
    writing: str, name: str, scheme: str, secret: str
) -> None:
    text = WRITINGS[writing].format(h=f"{name}: {scheme}{secret}", n=name, v=scheme + secret)
    assert HELD.sub("?", redact(text)) == text.replace(secret, "?")


@pytest.mark.parametrize("writing", WRITINGS)
@pytest.mark.parametrize(
    "name, value",
    [
        ("ETag", "33a64df551425fcc55e4d42a148795d9f25f89d4"),
        ("X-Request-Id", "7f3d2c1b-9a8e-4f60-a1b2-c3d4e5f60718"),
        ("X-Cache-Key", "7f3d2c1b9a8e4f60a1b2c3d4e5f60718"),
        ("Idempotency-Key", "zDmbX1rpXjYdOhCgOIPO"),
        ("X-Next-Token", "byOA0HNkIn3OIOnHn2INL2io6VOZw5lu"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("Authorization", "Bearer $TOKEN"),
        ("Cookie", "theme=dark"),
        ("WWW-Authenticate", "Basic realm=nas-2"),
        ("X-Token-Count", "48213"),
    ],
)
def test_headers_that_open_nothing_stay(writing: str, name: str, value: str) -> None:
    text = WRITINGS[writing].format(h=f"{name}: {value}", n=name, v=value)
    assert redact(text) == text


@pytest.mark.parametrize(
    "text, secret",
    [
        ("    Authorization: Basic a2lt\n        Credentials: kim:harbour\n    Accept: */*", "harbour"),
        ('HTTP_AUTHORIZATION="Basic Ym9hcmRzOkMzSjI3WERDRzJM"', "Ym9hcmRzOkMzSjI3WERDRzJM"),
        ("<RequestsCookieJar[<Cookie sid=IY7uq6T2bwGfcCvJAXr for a.example/>]>", "IY7uq6T2bwGfcCvJAXr"),
        (
            'authorization: Digest username="kim", nonce="dcd98b71", response="dcd98b7102dd2f0e8b11d0f600bfb0c0"',
            "dcd98b7102dd2f0e8b11d0f600bfb0c0",
        ),
        (f'{{"x-amz-date": "20261126T110412Z", "x-amz-signature": "{"b48fd0f7" * 8}"}}', "b48fd0f7" * 8),
    ],
)
def test_what_stands_beside_a_header_goes(text: str, secret: str) -> None:
    assert HELD.sub("?", redact(text)) == text.replace(secret, "?")


def test_each_cookie_of_a_header_goes() -> None:
    text = "Cookie: sid=IY7uq6T2bwGfcCvJAXr; lang=de; csrftoken=zDmbX1rpXjYdOhC"
    assert HELD.sub("?", redact(text)) == "Cookie: sid=?; lang=de; csrftoken=?"


@pytest.mark.parametrize(
    "text",
    [
        r"re.split(r'\r\n|\n', text)  # the token is read further on",
        r"C:\new\names: a list of harbours",
        r'print("Authorization: none\nCookie: none\n")',
        r"\newcommand{\key}{value}",
    ],
)
def test_other_escapes_stay(text: str) -> None:
    assert redact(text) == text
