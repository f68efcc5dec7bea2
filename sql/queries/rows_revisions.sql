-- The rows of revisions.sql, whose parameters it has, with the series, the file and when it was seen first, and
-- amounts in floating point.
SELECT
    {series_id:UInt32} AS series_id, rows.date AS date, rows.serie AS serie,
    toFloat64(rows.quota) AS quota, toFloat64(rows.equity) AS equity,
    rows.shareholders AS shareholders, rows.currency AS currency, rows.void AS void, rows.counts AS counts,
    rows.published_at AS published_at, seen.seen_at AS seen_at,
    nullIf(named.file, '') AS file, rows.sha256 AS sha256, rows.line AS line
FROM queries.revisions AS rows
LEFT ANY JOIN (SELECT sha256, any(file) AS file FROM complete_file GROUP BY sha256) AS named ON named.sha256 = rows.sha256
LEFT ANY JOIN (SELECT sha256, min(seen_at) AS seen_at FROM seen_file GROUP BY sha256) AS seen ON seen.sha256 = rows.sha256
ORDER BY rows.date, rows.published_at, rows.sha256, rows.line
