-- Every line that states verified factors of a series on some days, by day and publication: what a quota is multiplied by,
-- which is the distribution times the adjustment. The one that counts of a day is that of factor_history_as_of: of the
-- lines under the name that was valid on the day, else under the newest name, that of the file with the highest revision.
-- If this file has several, the last of them is marked, and the day gives no factor (RULES 1).
--   days  the days
SELECT
    date, 'events' AS dataset, toNullable(toString(serie)) AS serie, toNullable(factor) AS value,
    toBool(row_number() OVER (PARTITION BY date ORDER BY date BETWEEN valid_from AND valid_until DESC, position,
                                                         published_at DESC, sha256 DESC, line DESC) = 1) AS counts,
    published_at, sha256, line
FROM
(
    SELECT DISTINCT -- a line may be delivered twice
        facts.date AS date, facts.serie AS serie, toDecimal128(facts.distribution_factor, 9) * facts.adjustment_factor AS factor,
        facts.revision AS published_at, toString(facts.source_sha256) AS sha256, facts.source_line AS line,
        labels.position AS position, labels.valid_from AS valid_from, labels.valid_until AS valid_until
    FROM fact_factor AS facts
    INNER JOIN (SELECT * FROM batch_series_name(batch = {batch:UInt64}) WHERE series_id = {series_id:UInt32}) AS labels
        ON labels.run = facts.run AND labels.serie = facts.serie
    WHERE (facts.run, facts.serie) IN (SELECT run, serie FROM batch_series_name(batch = {batch:UInt64}) WHERE series_id = {series_id:UInt32})
      AND facts.date IN {days:Array(Date)}
      AND facts.source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
)
ORDER BY date, published_at, sha256, line
