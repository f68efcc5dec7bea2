-- The newest build of each day up to batch N that no failed batch made, from the LIST of builds:
-- (date, build) IN parts.newest_builds(list: market_day_version).
(
    SELECT date, max(build) FROM LIST
    WHERE build <= {batch:UInt64} AND (build = {batch:UInt64} OR build NOT IN (SELECT batch FROM batch_failure))
    GROUP BY date
)
