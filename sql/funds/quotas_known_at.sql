-- The quotas and equities of series of mutual funds as they were known at a moment: those of the
-- newest kept batch that was published by then. Corrections that came later are not in it.
--   SELECT date, quota FROM funds.quotas_known_at(known_at = '2026-11-20 21:00:00') WHERE series_id = 1161378270
--
-- changes: none
CREATE OR REPLACE VIEW funds.quotas_known_at
(
    series_id     UInt32                           COMMENT 'Id of the series',
    date          Date                             COMMENT 'Day of the row',
    currency      LowCardinality(Nullable(String)) COMMENT 'Accounting currency: PESOS, DOLAR, or as written where unknown; null where the row was rejected',
    quota         Nullable(Float64)                COMMENT 'Value of one quota, in currency; null where the row was rejected',
    equity        Nullable(Float64)                COMMENT 'Equity of the series, full units of currency',
    shareholders  Nullable(UInt64)                 COMMENT 'Number of investors'
)
SQL SECURITY DEFINER AS
WITH (SELECT batch FROM batch_known_at(known_at = {known_at:DateTime64(3, 'UTC')})) AS known
SELECT
    series_id, date, nullIf(currency, '') AS currency, toFloat64(quota) AS quota, toFloat64(equity) AS equity, shareholders
FROM
(
    SELECT * FROM series_day
    WHERE (date, build) IN (SELECT date, max(build) FROM series_day_version WHERE build <= known AND (build = known OR build NOT IN (SELECT batch FROM batch_failure)) GROUP BY date)
)
UNION ALL
-- No row, but an error where there is no batch of that time.
SELECT 0, toDate(0), NULL, NULL, NULL, NULL
FROM (SELECT count() AS kept_batches FROM batch_known_at(known_at = {known_at:DateTime64(3, 'UTC')}))
WHERE throwIf(kept_batches = 0, 'no batch of that time is kept: funds.batches tells from when on there is one')
COMMENT 'Quotas as they were known at a moment, UTC: quotas_known_at(known_at = ''2026-11-20 21:00:00''). Key: series_id, date.'
