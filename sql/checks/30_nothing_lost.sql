-- Facts are only ever added: whatever the batch before knew, this one knows. An
-- older cutoff may hide series that began after it; it comes when a file tells
-- that the later days were not complete.
SELECT format('series {} was in batch {} and is missing', toString(series_id), toString({previous:UInt64})) AS violation
FROM series
WHERE batch = {previous:UInt64} AND first_date <= {as_of:Date}
  AND series_id NOT IN (SELECT series_id FROM series WHERE batch = {batch:UInt64})
LIMIT 10
UNION ALL
SELECT format('day {} had {} rows in batch {} and has {}', toString(before.date), toString(before.rows), toString({previous:UInt64}), toString(now.rows))
FROM (SELECT date, rows FROM day WHERE batch = {previous:UInt64}) AS before
LEFT JOIN (SELECT date, rows FROM day WHERE batch = {batch:UInt64}) AS now USING (date)
WHERE now.rows < before.rows
LIMIT 10
