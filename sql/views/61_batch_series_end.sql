-- The days from which series no longer exist, as batch N sees them: the day on which the
-- fund ended according to the register (by_register), else the day on which a curated
-- exchange turned its quotas into those of another series, or from which a person has stated
-- the end of the series, of its fund or of the market. These two hold for series without a
-- later row.
--   SELECT * FROM batch_series_end(batch = 7) WHERE series_id = 4047362302
CREATE OR REPLACE VIEW batch_series_end AS
SELECT registered.id AS series_id, toDate(least(greatest(assumeNotNull(funds.ended), toDate32('1971-01-01')), toDate32('2149-06-06'))) AS ended_on, true AS by_register
FROM batch_fund(batch = {batch:UInt64}) AS funds
INNER JOIN (SELECT id, run FROM registry WHERE kind = 'series') AS registered ON registered.run = funds.run
WHERE funds.ended IS NOT NULL
UNION ALL
SELECT origin_id, effective_date, false
FROM batch_exchange(batch = {batch:UInt64})
UNION ALL
SELECT DISTINCT labels.series_id, stated.ended_on, false
FROM batch_series_name(batch = {batch:UInt64}) AS labels
CROSS JOIN
(
    SELECT DISTINCT run, serie, ended_on FROM fact_end
    WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
) AS stated
WHERE stated.run IN (0, labels.run) AND stated.serie IN ('', labels.serie)
SETTINGS join_use_nulls = 0
