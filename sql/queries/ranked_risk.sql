-- The series of mutual funds that have a risk score at a month end, with both figures of which it is a rank (RULES 5),
-- and the names that they have at the cutoff.
SELECT ranked.series_id AS series_id, named.run AS run, named.serie AS serie, ranked.volatility AS volatility, ranked.fall AS fall
FROM
(
    SELECT series_id, assumeNotNull(volatility_monthly_36m) AS volatility, assumeNotNull(max_drawdown_36m) AS fall
    FROM risk_month
    WHERE batch = {batch:UInt64} AND month = {month:Date} AND risk_score IS NOT NULL
      AND series_id NOT IN (SELECT id FROM registry WHERE kind = 'fi_series')
) AS ranked
LEFT JOIN (SELECT series_id, run, serie FROM batch_watchable_series(batch = {batch:UInt64})) AS named ON named.series_id = ranked.series_id
ORDER BY series_id
