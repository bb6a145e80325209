-- name: place_of_message
SELECT branch.*, conversation.name AS conversation
FROM message
JOIN branch ON branch.id = message.branch_id
JOIN conversation ON conversation.id = message.conversation_id
JOIN owner ON owner.id = conversation.owner_id
WHERE message.id = ? AND owner.name = ?;

-- name: place_of_summary
SELECT branch.*, conversation.name AS conversation
FROM summary
JOIN branch ON branch.id = summary.branch_id
JOIN conversation ON conversation.id = summary.conversation_id
JOIN owner ON owner.id = conversation.owner_id
WHERE summary.id = ? AND owner.name = ?;

-- name: summaries_beneath (leaves have no summaries beneath them, so their sources are not looked at)
WITH RECURSIVE beneath (id, depth) AS (
    SELECT summary.id, summary.depth
    FROM summary
    JOIN conversation ON conversation.id = summary.conversation_id
    JOIN owner ON owner.id = conversation.owner_id
    WHERE summary.id = ? AND owner.name = ?
    UNION
    SELECT child.id, child.depth
    FROM beneath
    JOIN summary_source ON summary_source.summary_id = beneath.id AND summary_source.source GLOB 's*'
    JOIN summary AS child ON child.id = CAST(substr(summary_source.source, 2) AS INTEGER)
    WHERE beneath.depth > 0
)
SELECT summary.depth, count(*) AS number, sum(summary.tokens) AS tokens
FROM beneath JOIN summary ON summary.id = beneath.id
GROUP BY summary.depth;

-- name: message_tokens_beneath
SELECT message_tokens FROM summary WHERE id = ?;

-- name: reckon_beneath (its own sources' tokens, and what was reckoned for those that are summaries)
UPDATE summary
SET message_tokens = (
    SELECT coalesce(sum(coalesce(message.tokens, child.message_tokens)), 0)
    FROM summary_source
    LEFT JOIN message
        ON summary_source.source GLOB 'm*' AND message.id = CAST(substr(summary_source.source, 2) AS INTEGER)
    LEFT JOIN summary AS child
        ON summary_source.source GLOB 's*' AND child.id = CAST(substr(summary_source.source, 2) AS INTEGER)
    WHERE summary_source.summary_id = summary.id
)
WHERE id = ?;
