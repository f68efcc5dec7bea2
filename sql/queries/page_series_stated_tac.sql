-- From which line of which file the cost rates come that the monthly sheet or the comparator states
-- for some series, each for a month, without the costs of underlying funds. No row if none does.
--   batch       number of the batch
--   series      ids of the series
--   tac_months  for each of them, the month end
SELECT
    series_id, 'tac' AS item, dataset, month AS stated_on, []::Array(Nullable(Float64)) AS official, hash AS sha256, line, published_at,
    nullIf(files.file, '') AS file, seen.seen_at AS seen_at
FROM
(
    SELECT series_id, statements.dataset AS dataset, month, toString(source_sha256) AS hash, source_line AS line, revision AS published_at
    FROM batch_tac_statement(batch = {batch:UInt64}, months = {tac_months:Array(Date)}, all_months = false) AS statements
    WHERE series_id IN {series:Array(UInt32)} AND month = transform(series_id, {series:Array(UInt32)}, {tac_months:Array(Date)}, toDate(0))
      AND newest AND kind = 'real' AND reason = ''
    ORDER BY series_id, label_order, revision DESC, source_sha256 DESC, source_line DESC
    LIMIT 1 BY series_id
) AS stated
LEFT JOIN (SELECT sha256, any(name) AS file FROM (SELECT sha256, file AS name FROM complete_file) GROUP BY sha256) AS files ON files.sha256 = stated.hash
LEFT JOIN (SELECT sha256, min(seen_at) AS seen_at FROM (SELECT sha256, seen_at FROM seen_file) GROUP BY sha256) AS seen ON seen.sha256 = stated.hash
ORDER BY series_id
SETTINGS join_use_nulls = 0
