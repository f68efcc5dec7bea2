-- Every line that states the UF or the dólar observado on some days, as batch N sees them, by publication. The one that
-- counts of a day is that of batch_indicator. Of several lines of one file about one day the last one is kept, because the
-- table of facts keeps only that.
--   code  uf or dolar
--   days  the days
SELECT
    date, {code:String} AS dataset, CAST(NULL, 'Nullable(String)') AS serie, toNullable(value) AS value,
    toBool(row_number() OVER (PARTITION BY date ORDER BY published_at DESC, sha256 DESC, line DESC) = 1) AS counts,
    published_at, sha256, line
FROM
(
    SELECT date, value, revision AS published_at, toString(source_sha256) AS sha256, source_line AS line
    FROM fact_indicator
    WHERE code = {code:String} AND date IN {days:Array(Date)}
      AND source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
    ORDER BY date, published_at, sha256, line DESC
    LIMIT 1 BY date, published_at, sha256
)
ORDER BY date, published_at, sha256
