-- Cost rates by month and kind (RULES 2). A computed month needs 15 daily values, because a
-- few days say little about a month. A stated month need not be closed here: a file that
-- states a month proves that the month is over. A stated and a computed real rate of one
-- month are both kept, and the history of a series shows the stated one. A stated rate keeps
-- the line of the file that states it. A sheet that says NA takes back what an older file stated.
INSERT INTO tac_month (batch, series_id, month, kind, source, tac, cost_days, decimals, investor_class, dataset, source_sha256, source_line, revision)
SELECT
    {batch:UInt64}, series_id, month, kind, source, if(rate BETWEEN 0 AND 1, rate, NULL), cost_days, decimals, investor_class,
    dataset, source_sha256, source_line, revision
FROM
(
    SELECT *
    FROM
    (
        SELECT
            series_id, month, kind, 'stated' AS source, tac AS rate, 0 AS cost_days, toNullable(decimals) AS decimals, investor_class,
            label_order, dataset, source_sha256, source_line, toNullable(revision) AS revision, reason = '' AS has_figure
        FROM batch_stated_tac(batch = {batch:UInt64})
        WHERE reason IN ('', 'no_figure') AND series_id != 0
        UNION ALL
        SELECT series_id, month, 'real', 'computed', cost_rate, cost_days, NULL, NULL, 0, '', '', 0, NULL, true
        FROM series_month
        WHERE batch = {batch:UInt64} AND cost_days >= 15
    )
    ORDER BY series_id, month, kind, source, label_order, revision DESC, source_sha256 DESC, source_line DESC
    LIMIT 1 BY series_id, month, kind, source
)
WHERE has_figure
