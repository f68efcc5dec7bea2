-- The points of the index of each family and currency.
CREATE OR REPLACE VIEW bulk.family_index
(
    family       LowCardinality(String) COMMENT 'Peer group of the regulator',
    currency     LowCardinality(String) COMMENT 'Accounting currency of its series: PESOS or DOLAR',
    date         Date                   COMMENT 'Day of the point',
    level        Float64                COMMENT 'Level of the index, 100 on its first day',
    index_return Nullable(Float64)      COMMENT 'Change since the point before, fraction; null where there is none to compare with'
)
AS
SELECT points.family_rar AS family, points.currency AS currency, points.date AS date, points.value AS level, points.change / 100 AS index_return
FROM batch_family_index(batch = {batch:UInt64}, family = '') AS points
COMMENT 'Indices of families by day, in each currency. Key: family, currency, date.'
