"""Servers of small forms on the loopback: `/v1/embeddings`, and any other that answers with JSON."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(slots=True)
class VectorServer:
    """What a loopback server of `/v1/embeddings` was asked, and how it answers: the first codes of `fails`, one each,
    then vectors; a text that holds one of `hates` gets error 400, and with it its batch.
    """

    meaning: Callable[[str], list[float]]
    fails: list[int] = field(default_factory=list[int])
    hates: str = "\0"
    delay_s: float = 0.0
    model: str = "themes"
    asked: list[list[str]] = field(default_factory=list[list[str]])
    keys: list[str] = field(default_factory=list[str])
    url: str = ""

    def answer(self, body: bytes, key: str) -> tuple[int, object]:
        """The status and the body for one request."""
        found = json.loads(body)
        assert found["model"] == self.model
        self.asked.append(found["input"])
        self.keys.append(key)
        time.sleep(self.delay_s)
        if self.fails:
            return self.fails.pop(0), {"error": {"message": "not now"}}
        if any(self.hates in text for text in found["input"]):
            return 400, {"error": {"message": "the input cannot be read"}}
        rows = [{"index": at, "embedding": self.meaning(text)} for at, text in enumerate(found["input"])]
        return 200, {"object": "list", "data": rows[::-1]}


@contextmanager
def serving_vectors(meaning: Callable[[str], list[float]]) -> Generator[VectorServer]:
    """Such a server, whose vectors are those of a function. What it fails with may be tried again at once."""
    made = VectorServer(meaning)
    with serving_json("/v1/embeddings", made.answer) as url:
        made.url = url
        yield made


@contextmanager
def serving_json(path: str, answer: Callable[[bytes, str], tuple[int, object]]) -> Generator[str]:
    """A server on the loopback that answers what is posted to one path by a function of the body and the key. Gives the
    address of its first version.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            status, found = answer(body, self.headers.get("authorization", ""))
            if self.path != path:
                status, found = 404, {"error": {"message": self.path}}
            sent = json.dumps(found).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("retry-after-ms", "10")
            self.send_header("content-length", str(len(sent)))
            self.end_headers()
            with suppress(BrokenPipeError):
                self.wfile.write(sent)

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            """Nothing is printed."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}/v1"
        listening.shutdown()
        thread.join()
