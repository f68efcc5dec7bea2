-- Facts are only ever added, so everything in the previous batch must be in this one. There
-- are two exceptions. An earlier cutoff, after a file has shown that later days were not
-- complete, hides series that began after it. A rename may move the rows of a series to the
-- id of another of its names, and merge two rows of a day into one; but every series with a
-- quote on a day still has its row.
SELECT format('series {} was in batch {} and is missing in this batch', toString(series_id), toString({previous:UInt64})) AS violation
FROM series
WHERE batch = {previous:UInt64} AND first_date <= {as_of:Date}
  AND series_id NOT IN (SELECT series_id FROM series WHERE batch = {batch:UInt64})
  AND series_id NOT IN
  (
      SELECT before.series_id
      FROM batch_series_name(batch = {previous:UInt64}) AS before
      INNER JOIN batch_series_name(batch = {batch:UInt64}) AS now ON now.label_id = before.label_id
      WHERE now.series_id IN (SELECT series_id FROM series WHERE batch = {batch:UInt64})
  )
LIMIT 10
UNION ALL
SELECT violation FROM
(
    WITH fewer AS
    (
        SELECT before.date AS date, before.rows AS rows_before, now.rows AS rows_now
        FROM (SELECT date, rows FROM market_completeness WHERE batch = {previous:UInt64}) AS before
        LEFT JOIN (SELECT date, rows FROM market_completeness WHERE batch = {batch:UInt64}) AS now USING (date)
        WHERE now.rows < before.rows
    )
    SELECT format('day {} had {} rows in batch {} and has only {} in this batch', toString(fewer.date), toString(rows_before), toString({previous:UInt64}), toString(rows_now)) AS violation
    FROM fewer
    LEFT JOIN
    (
        SELECT quotes.date AS date, uniqExact(labels.series_id) AS series
        FROM fact_quota AS quotes
        INNER JOIN batch_series_name(batch = {batch:UInt64}) AS labels ON labels.run = quotes.run AND labels.serie = quotes.serie
        WHERE quotes.source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
          AND quotes.date IN (SELECT date FROM fewer)
        GROUP BY date
    ) AS quoted ON quoted.date = fewer.date
    WHERE rows_now < quoted.series OR quoted.series = 0
    LIMIT 10
)
