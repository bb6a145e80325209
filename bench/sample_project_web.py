"""The invented project of the sample session, before it begins: the HTTP face and the board widget."""

FILES: dict[str, str] = {}

FILES["timetable/web.py"] = r'''"""The HTTP face: a WSGI application over the public API.

    GET /health
    GET /harbours
    GET /departures/<code>?at=<ISO time>&limit=<n>
    GET /journey?from=<code>&to=<code>&at=<ISO time>
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
import json
import logging
import sqlite3
from urllib.parse import parse_qs
import uuid

from timetable import api, calendar
from timetable.cache import BoardCache
from timetable.errors import BadRequest, TimetableError
from timetable.model import Departure, Journey

log = logging.getLogger("timetable.web")

Environ = dict[str, str]
StartResponse = Callable[[str, list[tuple[str, str]]], object]
App = Callable[[Environ, StartResponse], Iterable[bytes]]

REASONS = {200: "OK", 400: "Bad Request", 404: "Not Found", 500: "Internal Server Error"}


def departure_json(line: Departure) -> dict[str, object]:
    return {
        "at": line.at.isoformat(timespec="minutes"),
        "route": line.route,
        "vessel": line.vessel,
        "destination": line.destination,
        "quay": line.quay,
        "trip": line.trip_id,
    }


def journey_json(found: Journey) -> dict[str, object]:
    return {
        "departs": found.departs.isoformat(timespec="minutes"),
        "arrives": found.arrives.isoformat(timespec="minutes"),
        "changes": found.changes,
        "legs": [
            {
                "trip": leg.trip_id,
                "route": leg.route,
                "from": leg.origin,
                "to": leg.destination,
                "departs": leg.departs.isoformat(timespec="minutes"),
                "arrives": leg.arrives.isoformat(timespec="minutes"),
            }
            for leg in found.legs
        ],
    }


def _instant(query: dict[str, list[str]]) -> datetime:
    text = query.get("at", [""])[0]
    if not text:
        return datetime.now(calendar.ZONE)
    try:
        return calendar.parse_instant(text)
    except ValueError as error:
        raise BadRequest(f"cannot read the time {text!r}") from error


def _limit(query: dict[str, list[str]]) -> int:
    text = query.get("limit", ["10"])[0]
    if not text.isdecimal():
        raise BadRequest(f"limit is not a number: {text!r}")
    return int(text)


def _board(
    db: sqlite3.Connection, cache: BoardCache, code: str, query: dict[str, list[str]]
) -> bytes:
    at, limit = _instant(query), _limit(query)
    key = (code, at.isoformat(timespec="minutes"), str(limit))
    cached = cache.get(key)
    if cached is not None:
        return cached
    lines = api.departures(db, code, at, limit)
    body = json.dumps({"harbour": code, "departures": [departure_json(line) for line in lines]})
    cache.put(key, body.encode())
    return body.encode()


def _route(db: sqlite3.Connection, cache: BoardCache, path: str, query: dict[str, list[str]]) -> bytes:
    if path == "/health":
        return json.dumps({"ok": True, "hits": cache.hits, "misses": cache.misses}).encode()
    if path == "/harbours":
        found = [{"code": place.code, "name": place.name} for place in api.harbours(db)]
        return json.dumps({"harbours": found}).encode()
    if path.startswith("/departures/"):
        return _board(db, cache, path.removeprefix("/departures/").upper(), query)
    if path == "/journey":
        ends = [query.get(name, [""])[0].upper() for name in ("from", "to")]
        return json.dumps(journey_json(api.journey(db, ends[0], ends[1], _instant(query)))).encode()
    raise BadRequest(f"no such page: {path}")


def make_app(db: sqlite3.Connection, cache: BoardCache | None = None) -> App:
    """The application over one database connection."""
    boards = cache if cache is not None else BoardCache()

    def app(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        request_id = environ.get("HTTP_X_REQUEST_ID") or str(uuid.uuid4())
        query = parse_qs(environ.get("QUERY_STRING", ""))
        status = 200
        try:
            body = _route(db, boards, environ.get("PATH_INFO", "/"), query)
        except TimetableError as error:
            status = error.status
            body = json.dumps({"code": error.code, "error": str(error)}).encode()
        except Exception:
            log.exception("unexpected, request %s", request_id)
            status = 500
            body = json.dumps({"code": "TT-5000", "error": "internal", "request": request_id}).encode()
        headers = [("Content-Type", "application/json"), ("X-Request-Id", request_id)]
        start_response(f"{status} {REASONS[status]}", headers)
        return [body]

    return app
'''

FILES["web/src/api.ts"] = r"""// Talks to the timetable service. Nothing else in the widget knows about HTTP.

export interface Departure {
  at: string;
  route: string;
  vessel: string;
  destination: string;
  quay: string | null;
  trip: string;
}

export interface Board {
  harbour: string;
  departures: Departure[];
}

export class BoardError extends Error {
  constructor(readonly status: number, readonly code: string, message: string) {
    super(message);
  }
}

export async function fetchBoard(base: string, harbour: string, limit = 8): Promise<Board> {
  const response = await fetch(`${base}/departures/${harbour}?limit=${limit}`);
  const body = await response.json();
  if (!response.ok) {
    throw new BoardError(response.status, body.code ?? "TT-5000", body.error ?? "unknown");
  }
  return body as Board;
}
"""

FILES["web/src/board.ts"] = r"""// Renders a departure board into an element and keeps it fresh.

import { type Board, type Departure, BoardError, fetchBoard } from "./api";

const REFRESH_MS = 30_000;

export function clockText(at: string): string {
  // The service sends local times with their offset; the wall clock part is what the quay shows.
  return at.slice(11, 16);
}

export function minutesUntil(at: string, now: Date): number {
  return Math.round((Date.parse(at) - now.getTime()) / 60_000);
}

export function whenText(at: string, now: Date): string {
  const minutes = minutesUntil(at, now);
  if (minutes <= 0) return "now";
  if (minutes < 20) return `${minutes} min`;
  return clockText(at);
}

export function rowHtml(line: Departure, now: Date): string {
  const quay = line.quay === null ? "" : `<td class="quay">${line.quay}</td>`;
  return (
    `<tr data-trip="${line.trip}"><td class="when">${whenText(line.at, now)}</td>` +
    `<td class="route">${line.route}</td><td class="to">${line.destination}</td>${quay}</tr>`
  );
}

export function boardHtml(board: Board, now: Date): string {
  if (board.departures.length === 0) return `<p class="empty">No more sailings today</p>`;
  return `<table>${board.departures.map((line) => rowHtml(line, now)).join("")}</table>`;
}

export async function refresh(base: string, harbour: string, into: HTMLElement): Promise<void> {
  try {
    into.innerHTML = boardHtml(await fetchBoard(base, harbour), new Date());
    into.dataset.state = "fresh";
  } catch (error) {
    // Keep the old board on the screen: a stale line is better than an empty quay.
    into.dataset.state = error instanceof BoardError ? `error ${error.code}` : "offline";
  }
}

export function mount(base: string, harbour: string, into: HTMLElement): () => void {
  void refresh(base, harbour, into);
  const timer = setInterval(() => void refresh(base, harbour, into), REFRESH_MS);
  return () => clearInterval(timer);
}
"""

FILES["web/src/board.test.ts"] = r"""import { describe, expect, it } from "vitest";

import { boardHtml, clockText, whenText } from "./board";

const now = new Date("2025-10-29T17:00:00+01:00");

describe("whenText", () => {
  it("counts minutes when the sailing is near", () => {
    expect(whenText("2025-10-29T17:12+01:00", now)).toBe("12 min");
  });
  it("shows the clock when it is further away", () => {
    expect(whenText("2025-10-29T18:40+01:00", now)).toBe("18:40");
  });
  it("says now for a sailing that is leaving", () => {
    expect(whenText("2025-10-29T17:00+01:00", now)).toBe("now");
  });
});

describe("boardHtml", () => {
  it("has a text of its own when nothing sails any more", () => {
    expect(boardHtml({ harbour: "KOB", departures: [] }, now)).toContain("No more sailings");
  });
  it("keeps the wall clock of the harbour, whatever the browser's zone", () => {
    expect(clockText("2025-10-29T23:50+01:00")).toBe("23:50");
  });
});
"""
