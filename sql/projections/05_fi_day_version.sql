-- The days of investment funds that this batch builds: those with rows in a file that no
-- published batch has yet, or every day if rebuild is set.
INSERT INTO fi_day_version (date, build)
SELECT DISTINCT date, {batch:UInt64}
FROM fact_investment_value
WHERE source_sha256 IN
(
    SELECT sha256 FROM batch_file(batch = {batch:UInt64})
    WHERE {rebuild:Bool} OR sha256 NOT IN (SELECT sha256 FROM batch_file(batch = {previous:UInt64}))
)
