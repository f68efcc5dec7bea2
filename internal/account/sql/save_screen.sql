-- Saves a screen under a name, in place of one that has the name; no row when the
-- account has $5 others already.
INSERT INTO saved_screens (account_id, name, query, added_at)
SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS BIGINT)
WHERE (SELECT count(*) FROM saved_screens WHERE account_id = CAST($1 AS TEXT) AND name != CAST($2 AS TEXT)) < CAST($5 AS BIGINT)
ON CONFLICT (account_id, name) DO UPDATE
    SET query = excluded.query, added_at = excluded.added_at,
        found = CASE WHEN saved_screens.query = excluded.query THEN saved_screens.found END
RETURNING name
