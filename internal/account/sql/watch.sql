-- Adds a series unless the account watches $4 already; no row when it was
-- there or there is no room.
INSERT INTO watchlist (account_id, series_id, added_at)
SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS BIGINT)
WHERE (SELECT count(*) FROM watchlist WHERE account_id = CAST($1 AS TEXT)) < CAST($4 AS BIGINT)
ON CONFLICT (account_id, series_id) DO NOTHING
RETURNING series_id
