-- name: account
SELECT body, crc FROM account WHERE branch_id = ?;

-- name: save_account
INSERT INTO account (branch_id, body) VALUES (?, ?) ON CONFLICT (branch_id) DO UPDATE SET body = excluded.body;

-- name: add_spent
INSERT INTO spent (conversation_id, kind, model, time_s, input_tokens, cached_tokens, written_tokens, output_tokens,
                   cost, never_cost, units, reported, assumed)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: spent
SELECT * FROM spent WHERE conversation_id = ? ORDER BY id DESC LIMIT ?;

-- name: spending
SELECT conversation.name AS conversation, spent.model, spent.kind, count(*) AS calls,
       sum(input_tokens) AS input_tokens, sum(cached_tokens) AS cached_tokens, sum(written_tokens) AS written_tokens,
       sum(output_tokens) AS output_tokens, sum(cost) AS cost, sum(never_cost) AS never_cost, sum(units) AS units,
       sum(1 - reported) AS unreported, max(assumed) AS assumed
FROM spent
JOIN conversation ON conversation.id = spent.conversation_id
JOIN owner ON owner.id = conversation.owner_id
WHERE owner.name = ?
GROUP BY conversation.id, spent.model, spent.kind
ORDER BY conversation.id, spent.model, spent.kind;
