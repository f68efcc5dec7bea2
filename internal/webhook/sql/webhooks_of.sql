-- The webhooks of person $1, or only $2 of them if it is not '', each with until when at $3 the
-- last of its replaced secrets signs.
SELECT id, address, created_at, failing_since, disabled_at, disabled_reason,
       (SELECT max(ends_at) FROM webhook_secrets WHERE webhook_id = webhooks.id AND ends_at > $3) AS replaced_until
FROM webhooks
WHERE account_id = $1 AND (id = $2 OR $2 = '')
ORDER BY created_at, id
