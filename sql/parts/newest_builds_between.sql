-- The same as newest_builds, for the days of a period alone.
(
    SELECT date, max(build) AS newest FROM LIST
    WHERE parts.seen_by_batch(key: build)
      AND date BETWEEN {from:Date} AND {to:Date} GROUP BY date
)
