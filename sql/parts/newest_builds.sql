-- The newest build of each day up to batch N that no failed batch made, from the LIST of builds:
-- (date, build) IN parts.newest_builds(list: market_day_version). As a table its columns are date and newest.
(
    SELECT date, max(build) AS newest FROM LIST
    WHERE parts.seen_by_batch(key: build)
    GROUP BY date
)
