-- name: take_lease (one that ends ten times as late as it could was given before the clock went back)
INSERT INTO lease (name, holder, expires_s) VALUES (?1, ?2, ?3)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_s = excluded.expires_s
WHERE lease.holder = excluded.holder OR lease.expires_s <= ?4 OR lease.expires_s > ?4 + 10 * (?3 - ?4);

-- name: lease_holder
SELECT holder FROM lease WHERE name = ?;

-- name: release_lease
DELETE FROM lease WHERE name = ? AND holder = ?;

-- name: add_job
INSERT INTO job (conversation_id, kind, noted_s) VALUES (?, ?, ?) ON CONFLICT (conversation_id, kind) DO NOTHING;

-- name: jobs
SELECT conversation.name, job.kind FROM job
JOIN conversation ON conversation.id = job.conversation_id
JOIN owner ON owner.id = conversation.owner_id
WHERE owner.name = ? ORDER BY job.id;

-- name: finish_job
DELETE FROM job WHERE conversation_id = ? AND kind = ?;

-- name: count_messages
SELECT coalesce(sum(branch.head_seq - branch.fork_seq), 0) AS messages,
       coalesce(sum(iif(branch.parent_id IS NULL, branch.tokens,
                        (SELECT coalesce(sum(message.tokens), 0) FROM message WHERE message.branch_id = branch.id))), 0)
           AS tokens
FROM owner
JOIN conversation ON conversation.owner_id = owner.id
JOIN branch ON branch.conversation_id = conversation.id
WHERE owner.name = ?;

-- name: count_conversations
SELECT count(*) FROM conversation JOIN owner ON owner.id = conversation.owner_id WHERE owner.name = ?;

-- name: count_summaries
SELECT summary.depth, count(*) AS number FROM summary
JOIN conversation ON conversation.id = summary.conversation_id
JOIN owner ON owner.id = conversation.owner_id
WHERE owner.name = ? GROUP BY summary.depth ORDER BY summary.depth;

-- name: count_methods
SELECT summary.method, count(*) AS number FROM summary
JOIN conversation ON conversation.id = summary.conversation_id
JOIN owner ON owner.id = conversation.owner_id
WHERE owner.name = ? GROUP BY summary.method ORDER BY summary.method;

-- name: count_compactions
SELECT count(*) FROM compaction JOIN branch ON branch.id = compaction.branch_id
JOIN conversation ON conversation.id = branch.conversation_id
JOIN owner ON owner.id = conversation.owner_id
WHERE owner.name = ?;

-- name: page_count
PRAGMA page_count;

-- name: page_size
PRAGMA page_size;
