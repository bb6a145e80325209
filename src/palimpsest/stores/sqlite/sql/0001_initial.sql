-- The log: conversations, branches, messages, compactions. Nothing here is changed by compaction but by adding.
-- `crc` is a sum over a row's columns: a connection has to know the function (stores/sound.py).

CREATE TABLE owner (
    id   INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE conversation (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    owner_id  INTEGER NOT NULL REFERENCES owner (id),
    name      TEXT NOT NULL,
    title     TEXT NOT NULL DEFAULT '',
    parent    TEXT NOT NULL DEFAULT '',
    system    TEXT NOT NULL DEFAULT '',
    branch_id INTEGER,
    updated_s REAL NOT NULL,
    crc       INTEGER NOT NULL AS (crc(name, title, parent, system)) STORED,
    UNIQUE (owner_id, name)
) STRICT;

-- `forked_after` is the newest compaction there was when it was forked. head_* describe the newest message; calls are the
-- ids that a following result may answer; tokens are those of the whole history.
CREATE TABLE branch (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation_id INTEGER NOT NULL REFERENCES conversation (id),
    parent_id       INTEGER REFERENCES branch (id),
    fork_seq        INTEGER NOT NULL DEFAULT 0,
    forked_after    INTEGER NOT NULL DEFAULT 0,
    head_seq        INTEGER NOT NULL DEFAULT 0,
    head_chain      BLOB NOT NULL,
    calls           TEXT NOT NULL DEFAULT '[]',
    closed_seq      INTEGER NOT NULL DEFAULT 0,
    version         INTEGER NOT NULL DEFAULT 0,
    thinking_from   INTEGER NOT NULL DEFAULT 1,
    tokens          INTEGER NOT NULL DEFAULT 0,
    purged          INTEGER NOT NULL DEFAULT 0,
    crc             INTEGER NOT NULL AS (crc(conversation_id, parent_id, fork_seq, forked_after, head_seq,
        head_chain, calls, closed_seq, version, thinking_from, tokens, purged)) STORED
) STRICT;

CREATE INDEX branch_by_head ON branch (conversation_id, head_chain);

-- AUTOINCREMENT: an id is never given twice, also after deletions. `gate` is what windows show in place of large results.
CREATE TABLE message (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    owner_id        INTEGER NOT NULL REFERENCES owner (id),
    conversation_id INTEGER NOT NULL REFERENCES conversation (id),
    branch_id       INTEGER NOT NULL REFERENCES branch (id),
    seq             INTEGER NOT NULL,
    role            TEXT NOT NULL,
    body            TEXT NOT NULL,
    tokens          INTEGER NOT NULL,
    time_s          REAL,
    chain           BLOB NOT NULL,
    gate            TEXT NOT NULL DEFAULT '',
    gate_tokens     INTEGER NOT NULL DEFAULT 0,
    crc             INTEGER NOT NULL AS (crc(id, seq, role, body, tokens, time_s, gate, gate_tokens)) STORED,
    UNIQUE (branch_id, seq)
) STRICT;

CREATE INDEX message_by_chain ON message (owner_id, chain, conversation_id);

CREATE TABLE append_key (
    conversation_id INTEGER NOT NULL REFERENCES conversation (id),
    key             TEXT NOT NULL,
    message_ids     TEXT NOT NULL,
    crc             INTEGER NOT NULL AS (crc(key, message_ids)) STORED,
    PRIMARY KEY (conversation_id, key)
) STRICT, WITHOUT ROWID;

-- `message_tokens` is what the messages beneath cost.
CREATE TABLE summary (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation_id INTEGER NOT NULL REFERENCES conversation (id),
    branch_id       INTEGER NOT NULL REFERENCES branch (id),
    depth           INTEGER NOT NULL,
    first_seq       INTEGER NOT NULL,
    last_seq        INTEGER NOT NULL,
    body            TEXT NOT NULL,
    tokens          INTEGER NOT NULL,
    method          TEXT NOT NULL,
    model           TEXT NOT NULL,
    earliest_s      REAL,
    latest_s        REAL,
    quotes          INTEGER NOT NULL DEFAULT 0,
    message_tokens  INTEGER NOT NULL DEFAULT 0,
    crc             INTEGER NOT NULL AS (crc(id, depth, first_seq, last_seq, body, tokens, method, model,
        earliest_s, latest_s, quotes)) STORED
) STRICT;

CREATE INDEX summary_by_conversation ON summary (conversation_id, depth);

CREATE TABLE summary_source (
    summary_id INTEGER NOT NULL REFERENCES summary (id),
    place      INTEGER NOT NULL,
    source     TEXT NOT NULL,
    PRIMARY KEY (summary_id, place)
) STRICT, WITHOUT ROWID;

-- All that a window's fold needs, the note of a stub or of a dropped range included; AUTOINCREMENT keeps their order.
CREATE TABLE compaction (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    branch_id     INTEGER NOT NULL REFERENCES branch (id),
    reason        TEXT NOT NULL,
    numbers       TEXT NOT NULL,
    replaced      TEXT NOT NULL,
    item_id       TEXT NOT NULL,
    item_kind     TEXT NOT NULL,
    note          TEXT NOT NULL DEFAULT '',
    before_tokens INTEGER NOT NULL,
    after_tokens  INTEGER NOT NULL,
    thinking_from INTEGER NOT NULL,
    calls         TEXT NOT NULL,
    evidence_kept INTEGER NOT NULL,
    evidence_left INTEGER NOT NULL,
    time_s        REAL NOT NULL,
    evidence      TEXT NOT NULL DEFAULT '[]',
    ledger        TEXT NOT NULL DEFAULT '',
    ledger_through INTEGER NOT NULL DEFAULT 0,
    crc            INTEGER NOT NULL AS (crc(reason, numbers, replaced, item_id, item_kind, note,
        before_tokens, after_tokens, thinking_from, calls, evidence_kept, evidence_left, time_s, evidence,
        ledger, ledger_through)) STORED
) STRICT;

CREATE INDEX compaction_by_branch ON compaction (branch_id);

-- What was read of a branch so far, as JSON; the text made from it stands in the compaction that made it.
CREATE TABLE ledger (
    branch_id INTEGER PRIMARY KEY REFERENCES branch (id),
    body      TEXT NOT NULL,
    crc       INTEGER NOT NULL AS (crc(body)) STORED
) STRICT;

-- What an engine learnt of a conversation besides its messages, as JSON.
CREATE TABLE memo (
    conversation_id INTEGER PRIMARY KEY REFERENCES conversation (id),
    body            TEXT NOT NULL,
    crc             INTEGER NOT NULL AS (crc(body)) STORED
) STRICT;

-- AUTOINCREMENT: an id is never given twice, also after unpinning.
CREATE TABLE pin (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation_id INTEGER NOT NULL REFERENCES conversation (id),
    quotes          TEXT NOT NULL,
    records         TEXT NOT NULL,
    tokens          INTEGER NOT NULL,
    time_s          REAL NOT NULL,
    crc             INTEGER NOT NULL AS (crc(id, quotes, records, tokens, time_s)) STORED
) STRICT;

CREATE INDEX pin_by_conversation ON pin (conversation_id);

-- The fold of the log, kept: what stands in a window besides verbatim messages, which are whatever no item covers.
CREATE TABLE item (
    branch_id INTEGER NOT NULL REFERENCES branch (id),
    id        TEXT NOT NULL,
    kind      TEXT NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq  INTEGER NOT NULL,
    note      TEXT NOT NULL DEFAULT '',
    tokens    INTEGER NOT NULL,
    standing  INTEGER NOT NULL DEFAULT 1,
    crc       INTEGER NOT NULL AS (crc(id, kind, first_seq, last_seq, note, tokens)) STORED,
    PRIMARY KEY (branch_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX item_standing ON item (branch_id, first_seq) WHERE standing = 1;

-- Numbers the ids of stubs and dropped ranges.
CREATE TABLE item_number (
    id INTEGER PRIMARY KEY AUTOINCREMENT
) STRICT;

CREATE TABLE usage (
    branch_id          INTEGER PRIMARY KEY REFERENCES branch (id),
    input_tokens       INTEGER NOT NULL,
    output_tokens      INTEGER NOT NULL,
    cached_tokens      INTEGER NOT NULL,
    cache_write_tokens INTEGER NOT NULL,
    estimated_tokens   INTEGER NOT NULL,
    window_mark        TEXT NOT NULL,
    last_seq           INTEGER NOT NULL,
    model              TEXT NOT NULL,
    crc                INTEGER NOT NULL AS (crc(input_tokens, output_tokens, cached_tokens,
        cache_write_tokens, estimated_tokens, window_mark, last_seq, model)) STORED
) STRICT;

-- What reports taught about a model: tokens of a kind of content as estimated, and as its provider counted them.
CREATE TABLE calibration (
    owner_id  INTEGER NOT NULL REFERENCES owner (id),
    model     TEXT NOT NULL,
    kind      TEXT NOT NULL,
    estimated REAL NOT NULL,
    reported  REAL NOT NULL,
    crc       INTEGER NOT NULL AS (crc(model, kind, estimated, reported)) STORED,
    PRIMARY KEY (owner_id, model, kind)
) STRICT, WITHOUT ROWID;

-- What has run up on a branch, as JSON, and every call that was paid for.
CREATE TABLE account (
    branch_id INTEGER PRIMARY KEY REFERENCES branch (id),
    body      TEXT NOT NULL,
    crc       INTEGER NOT NULL AS (crc(body)) STORED
) STRICT;

CREATE TABLE spent (
    id              INTEGER PRIMARY KEY,
    conversation_id INTEGER NOT NULL REFERENCES conversation (id),
    kind            TEXT NOT NULL,
    model           TEXT NOT NULL,
    time_s          REAL NOT NULL,
    input_tokens    INTEGER NOT NULL,
    cached_tokens   INTEGER NOT NULL,
    written_tokens  INTEGER NOT NULL,
    output_tokens   INTEGER NOT NULL,
    cost            REAL NOT NULL,
    never_cost      REAL NOT NULL,
    units           REAL NOT NULL,
    reported        INTEGER NOT NULL,
    assumed         INTEGER NOT NULL,
    crc             INTEGER NOT NULL AS (crc(kind, model, time_s, input_tokens, cached_tokens,
        written_tokens, output_tokens, cost, never_cost, units, reported, assumed)) STORED
) STRICT;

CREATE INDEX spent_by_conversation ON spent (conversation_id, id);

CREATE TABLE lease (
    name      TEXT PRIMARY KEY,
    holder    TEXT NOT NULL,
    expires_s REAL NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE job (
    id              INTEGER PRIMARY KEY,
    conversation_id INTEGER NOT NULL REFERENCES conversation (id),
    kind            TEXT NOT NULL,
    noted_s         REAL NOT NULL,
    UNIQUE (conversation_id, kind)
) STRICT;

-- Word indexes. They hold no text of their own: the rows they point to do, and the text they are given is folded already.
-- `scope` carries the conversation (c12), the owner (o1), the role and the time as words, because limiting a match by rows
-- is slow on large stores.
CREATE VIRTUAL TABLE message_index USING fts5 (body, scope, content = '', tokenize = 'porter ascii');
CREATE VIRTUAL TABLE summary_index USING fts5 (body, scope, content = '', tokenize = 'porter ascii');

-- Every word of the indexes, with its stem where that is another, and an index of its three-letter parts.
CREATE TABLE word (
    id   INTEGER PRIMARY KEY,
    word TEXT NOT NULL UNIQUE,
    stem TEXT
) STRICT;

CREATE INDEX word_by_stem ON word (stem) WHERE stem IS NOT NULL;

CREATE VIRTUAL TABLE word_index USING fts5 (
    word, content = '', columnsize = 0, detail = none, tokenize = 'trigram case_sensitive 1'
);

-- Messages that are not in the word index yet: they are taken in behind the writes, and before a search.
CREATE TABLE unindexed (
    message_id INTEGER PRIMARY KEY
) STRICT;

-- Appends do not merge the word index themselves: it would take one in sixty of them 10 to 20 ms. The store does it in
-- small steps between appends.
INSERT INTO message_index (message_index, rank) VALUES ('automerge', 0);
INSERT INTO message_index (message_index, rank) VALUES ('crisismerge', 200);
INSERT INTO word_index (word_index, rank) VALUES ('automerge', 0);
INSERT INTO word_index (word_index, rank) VALUES ('crisismerge', 200);

-- What an embedder made of a message, as float32 of length 1; `model` names it and its number of dimensions. A vector goes
-- with its message.
CREATE TABLE vector (
    message_id      INTEGER PRIMARY KEY REFERENCES message (id) ON DELETE CASCADE,
    owner_id        INTEGER NOT NULL REFERENCES owner (id),
    conversation_id INTEGER NOT NULL REFERENCES conversation (id),
    model           TEXT NOT NULL,
    body            BLOB NOT NULL
) STRICT;

CREATE INDEX vector_by_model ON vector (owner_id, model, conversation_id, message_id);

-- How far a branch's messages have been given to an embedder.
CREATE TABLE vector_progress (
    branch_id INTEGER PRIMARY KEY REFERENCES branch (id),
    model     TEXT NOT NULL,
    seq       INTEGER NOT NULL
) STRICT;

-- A message that was forgotten: its row stays, says so, and keeps its place in the chain. `mark` and `origin_mark` are
-- digests, under a key that is kept apart from this file, by which the message is known again when its history is sent
-- again; without the key they say nothing.
CREATE TABLE tombstone (
    message_id      INTEGER PRIMARY KEY REFERENCES message (id),
    conversation_id INTEGER NOT NULL REFERENCES conversation (id),
    salt            BLOB NOT NULL,
    mark            BLOB NOT NULL,
    origin_mark     BLOB NOT NULL
) STRICT;

CREATE INDEX tombstone_by_conversation ON tombstone (conversation_id);

-- Names of conversations that were forgotten, as digests under the same key.
CREATE TABLE forgotten (
    owner_id INTEGER NOT NULL REFERENCES owner (id),
    mark     BLOB NOT NULL,
    PRIMARY KEY (owner_id, mark)
) STRICT, WITHOUT ROWID;

-- Files that were written from this database and hold words of it. Without a conversation: of all that the owner has;
-- without an owner: of everybody's. One that is `stale` may hold what was forgotten since.
CREATE TABLE copy (
    id              INTEGER PRIMARY KEY,
    owner_id        INTEGER REFERENCES owner (id),
    conversation_id INTEGER REFERENCES conversation (id),
    kind            TEXT NOT NULL,
    path            TEXT NOT NULL,
    time_s          REAL NOT NULL,
    stale           INTEGER NOT NULL DEFAULT 0,
    UNIQUE (path)
) STRICT;

CREATE INDEX copy_by_owner ON copy (owner_id);
CREATE INDEX copy_by_conversation ON copy (conversation_id);

-- How often something was forgotten, since when what a connection remembers of the words may not hold; and whether what
-- was deleted may still stand in indexes or in the log (`unswept`).
CREATE TABLE erasure (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    times   INTEGER NOT NULL,
    unswept INTEGER NOT NULL
) STRICT;

INSERT INTO erasure (id, times, unswept) VALUES (1, 0, 0);
