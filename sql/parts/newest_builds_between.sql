-- The same as newest_builds, for the days of a period alone.
(
    SELECT date, max(build) FROM LIST
    WHERE build <= {batch:UInt64} AND (build = {batch:UInt64} OR build NOT IN (SELECT batch FROM batch_failure))
      AND date BETWEEN {from:Date} AND {to:Date} GROUP BY date
)
