-- Messages that wait and when the first of them was enqueued, and messages that were
-- given up.
SELECT
    count(CASE WHEN sealed IS NOT NULL THEN 1 END)          AS waiting,
    min(CASE WHEN sealed IS NOT NULL THEN created_at END)   AS first_enqueued_at,
    count(CASE WHEN given_up_at IS NOT NULL THEN 1 END)     AS given_up
FROM outbox
