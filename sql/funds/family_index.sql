-- The index of each family and currency.
--   SELECT date, level FROM funds.family_index WHERE family = 'Balanceado moderado' AND currency = 'PESOS' ORDER BY date
CREATE OR REPLACE VIEW funds.family_index
(
    family        LowCardinality(String) COMMENT 'Peer group of the regulator',
    currency      LowCardinality(String) COMMENT 'Accounting currency of its series: PESOS or DOLAR',
    date          Date                   COMMENT 'Day of the point',
    level         Float64                COMMENT 'Level of the index, 100 on its first day: the chained mean change of the series, weighted by equity, without outliers',
    index_return  Nullable(Float64)      COMMENT 'Change since the point before, fraction; null where there is none to compare with',
    eligible_series UInt32               COMMENT 'Number of series that give index_return; 0 where it is null',
    series          UInt32               COMMENT 'Number of series of the family on the day, also those without a change',
    eligible_share  Nullable(Float64)    COMMENT 'Share of the equity of the family that the eligible series hold, fraction; null where index_return is'
)
SQL SECURITY DEFINER AS
SELECT
    family_rar AS family, currency, date, value AS level, change / 100 AS index_return,
    point.series AS eligible_series, -- unqualified, it would be the column of this view
    point.of_series AS series, equity_share AS eligible_share
FROM batch_family_index(batch = {batch:UInt64}, family = '') AS point
COMMENT 'Indices of families by day, in each currency. Key: family, currency, date.'
