-- The months of which files of batch N state cost rates, with the number of these files and the day on
-- which the first one was published (docs/backtests.md, section 2).
--   SELECT month FROM batch_cost_month(batch = 7) WHERE files > 1
CREATE OR REPLACE VIEW batch_cost_month AS
SELECT month, count() AS files, toDate(min(published)) AS published_on
FROM
(
    SELECT
        sha256, min(revision) AS published,
        arrayJoin(arrayDistinct(arrayMap(day -> toLastDayOfMonth(toDate(day)), range(toUInt32(min(assumeNotNull(first_date))), toUInt32(max(assumeNotNull(last_date))) + 1)))) AS month
    FROM complete_file
    WHERE dataset IN ('tac-comparator', 'tac-monthly') AND first_date IS NOT NULL AND last_date IS NOT NULL
      AND sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
    GROUP BY sha256
)
GROUP BY month
