-- Our returns against those that the comparators of the regulator state, with the cause of each
-- difference (docs/reconciliation.md).
--   SELECT cause, count() FROM funds.reconciliation WHERE years = 3 GROUP BY cause ORDER BY 2 DESC
CREATE OR REPLACE VIEW funds.reconciliation
(
    series_id           UInt32                           COMMENT 'Id of the series',
    date                Date                             COMMENT 'Date of the comparator, at which the return of the regulator ends',
    years               UInt8                            COMMENT 'Number of years that the return covers: 1, 3 or 5',
    basis               LowCardinality(String)           COMMENT 'nominal: in pesos; real: in pesos beyond the growth of the UF',
    official_return     Nullable(Float64)                COMMENT 'Return that the regulator states, fraction per year; null where it states none',
    price_return        Nullable(Float64)                COMMENT 'Our price return on the same basis, fraction per year; null where there is none: see reason',
    reinvested_return   Nullable(Float64)                COMMENT 'The same with the accepted distributions reinvested, fraction per year',
    difference          Nullable(Float64)                COMMENT 'price_return less official_return, fraction per year; null where either lacks',
    reinvested_difference Nullable(Float64)              COMMENT 'reinvested_return less official_return, fraction per year; null where either lacks',
    cause               LowCardinality(Nullable(String)) COMMENT 'Cause of the difference; null where it is at most 0.00001. different_date: our quotes are of other days than the comparator asks for; distributions: it is gone once they are reinvested; missing_history, break, invalid_quote, missing_rate: we have no return; absent_there, absent_on_both_sides: the regulator states none; unexplained: none of these',
    reason              LowCardinality(Nullable(String)) COMMENT 'Why price_return is null, in the words of returns_daily_long; no_stored_return where no return of the day is stored',
    compared_date       Nullable(Date)                   COMMENT 'Day at which our return is taken: date, or the latest complete day before it',
    effective_start     Nullable(Date)                   COMMENT 'Quote with which our return begins',
    effective_end       Nullable(Date)                   COMMENT 'Quote with which our return ends',
    distributions       UInt32                           COMMENT 'Number of accepted distributions between these quotes'
)
SQL SECURITY DEFINER AS
SELECT
    series_id, date, years, basis, official_return, price_return, reinvested_return, difference, reinvested_difference,
    cause, reason, compared_date, effective_start, effective_end, distributions
FROM batch_reconciliation(batch = {batch:UInt64}, series = [], all_series = true)
COMMENT 'Our returns against those that the regulator states in its comparators, with the cause of each difference. Key: series_id, date, years, basis.'
