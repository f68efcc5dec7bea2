-- The cost rates of each series of mutual funds as they came into force: from each month end on for which the
-- series has a rate, the one that tac_as_of gives for a date until the next such month end (RULES 2). It has one row for each
-- series. Its rates are one text of the format RowBinary, in the order of days: the day from which the rate is in
-- force; its month; the rate; tac_kind; and the investor class that came with it, nullable.
WITH
    known AS
    (
        SELECT series_id, month, kind, tac_kind, assumeNotNull(tac) AS rate, investor_class
        FROM tac_month
        WHERE batch = {batch:UInt64} AND tac IS NOT NULL
    ),
    -- The newest rate of each month end, and the month of the newest synthetic one by then.
    newest AS
    (
        SELECT series_id, month, tac_kind, rate, investor_class, last_synthetic
        FROM
        (
            SELECT *, maxIf(month, kind = 'synthetic') OVER (PARTITION BY series_id ORDER BY month RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS last_synthetic
            FROM known
        )
        ORDER BY series_id, month, kind, tac_kind = 'stated' DESC
        LIMIT 1 BY series_id, month
    )
SELECT series_id, groupConcat(line) AS lines
FROM
(
    SELECT
        newest.series_id AS series_id,
        synthetic.series_id != 0 AND addYears(newest.last_synthetic, 1) > newest.month AS leads,
        formatRow('RowBinary',
            newest.month, if(leads, newest.last_synthetic, newest.month), if(leads, synthetic.rate, newest.rate),
            if(leads, 'synthetic', toString(newest.tac_kind)), CAST(if(leads, synthetic.investor_class, newest.investor_class), 'Nullable(String)')) AS line
    FROM newest
    LEFT JOIN (SELECT series_id, month, rate, investor_class FROM known WHERE kind = 'synthetic') AS synthetic
        ON synthetic.series_id = newest.series_id AND synthetic.month = newest.last_synthetic
    ORDER BY series_id, newest.month
)
GROUP BY series_id
