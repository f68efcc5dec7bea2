-- Stores a link of a key, unless the key is not active, or has $7 links already that answer.
INSERT INTO address_links (id, digest, key_id, address, created_at, expires_at)
SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), k.id, CAST($4 AS TEXT), CAST($5 AS BIGINT), CAST($6 AS BIGINT)
FROM api_keys AS k
WHERE k.id = CAST($3 AS TEXT) AND k.revoked_at IS NULL
  AND (SELECT count(*) FROM address_links
       WHERE key_id = CAST($3 AS TEXT) AND revoked_at IS NULL AND expires_at > CAST($5 AS BIGINT)) < CAST($7 AS BIGINT)
