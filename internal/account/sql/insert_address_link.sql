-- Stores a link of a key, unless the key has $7 links already that answer.
INSERT INTO address_links (id, digest, key_id, address, created_at, expires_at)
SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), CAST($5 AS BIGINT), CAST($6 AS BIGINT)
WHERE (SELECT count(*) FROM address_links
       WHERE key_id = CAST($3 AS TEXT) AND revoked_at IS NULL AND expires_at > CAST($5 AS BIGINT)) < CAST($7 AS BIGINT)
