-- Cost rates of each series by month, of every kind that is known.
--   SELECT month, tac_kind, tac FROM funds.costs_monthly WHERE series_id = 1161378270 ORDER BY month
CREATE OR REPLACE VIEW funds.costs_monthly
(
    series_id       UInt32                           COMMENT 'Id of the series',
    month           Date                             COMMENT 'Month end that the rate is for',
    tac_kind        LowCardinality(String)           COMMENT 'synthetic: stated, with the costs of the funds that the fund holds; stated: without them; computed: mean of the daily costs of the month. Kinds do not compare',
    tac             Nullable(Float64)                COMMENT 'Annual cost rate, fraction: 0.0132 is 1.32 %; null where the computed mean is no rate between 0 and 1',
    cost_days       UInt8                            COMMENT 'Number of days in the mean of a computed rate, at least 15; 0 when stated',
    investor_class  LowCardinality(Nullable(String)) COMMENT 'Investor class that came with a stated rate',
    in_history      Bool                             COMMENT 'The rate of the month in one history of comparable rates: monthly.tac. At most one kind of a month is'
)
SQL SECURITY DEFINER AS
SELECT
    rates.series_id AS series_id, rates.month AS month, rates.tac_kind AS tac_kind, rates.tac AS tac, rates.cost_days AS cost_days,
    rates.investor_class AS investor_class, toBool(history.series_id != 0) AS in_history
FROM (SELECT * FROM tac_month WHERE batch = {batch:UInt64}) AS rates
LEFT JOIN (SELECT series_id, month, tac_kind FROM batch_tac_history(batch = {batch:UInt64}, series = [], all_series = true)) AS history
    ON history.series_id = rates.series_id AND history.month = rates.month AND history.tac_kind = rates.tac_kind
SETTINGS join_use_nulls = 0
COMMENT 'Cost rates (TAC) of series by month and kind. Key: series_id, month, tac_kind.'
