-- From each month end on for which a series has a cost rate: the rate that is known since then, as
-- batch N sees it (RULES 2). Of the months up to valid_from, it is the newest synthetic rate, if its
-- month is less than a year before valid_from. Else it is the newest real rate, and a stated one
-- before a computed one. month is the month of the rate itself.
--   SELECT * FROM batch_tac_in_force(batch = 7) WHERE series_id = 4047362302
CREATE OR REPLACE VIEW batch_tac_in_force AS
SELECT
    series_id, valid_from,
    anyLastIf(synthetic, has_synthetic) OVER (PARTITION BY series_id ORDER BY valid_from ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS last_synthetic,
    if(last_synthetic.1 != toDate(0) AND addYears(last_synthetic.1, 1) > valid_from, last_synthetic, newest) AS rate,
    rate.1 AS month, rate.2 AS tac, rate.3 AS tac_kind, rate.4 AS kind, rate.5 AS source, rate.6 AS investor_class
FROM
(
    SELECT
        series_id, month AS valid_from,
        -- (month, tac, tac_kind, kind, source, investor_class)
        argMin((month, assumeNotNull(tac), tac_kind, kind, source, investor_class), (kind, tac_kind != 'stated')) AS newest,
        argMinIf((month, assumeNotNull(tac), tac_kind, kind, source, investor_class), tac_kind != 'stated', kind = 'synthetic') AS synthetic,
        countIf(kind = 'synthetic') > 0 AS has_synthetic
    FROM tac_month
    WHERE batch = {batch:UInt64} AND tac IS NOT NULL
    GROUP BY series_id, valid_from
)
