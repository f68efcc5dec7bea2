-- What the next people after $1, by id, watch who want the monthly summary.
SELECT people.id, watchlist.series_id
FROM
(
    SELECT id FROM accounts
    WHERE monthly_summary AND forgotten_at IS NULL AND id > $1 AND id IN (SELECT account_id FROM watchlist)
    ORDER BY id
    LIMIT $2
) AS people
JOIN watchlist ON watchlist.account_id = people.id
ORDER BY people.id, watchlist.added_at, watchlist.series_id
