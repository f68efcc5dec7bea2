-- For each day, the build that a batch reads in market_day (market_build) and in return_day (return_build): the newest build up
-- to the batch that is not of a failed batch, or 0 if there is none. The views batch_market_day and batch_return_day have the
-- same rule. stored_builds says how many builds of the day are stored, whichever batch reads them: the greater number of the two tables.
SELECT
    date, maxIf(market, counts) AS market_build, maxIf(returns, counts) AS return_build,
    greatest(uniqExactIf(market, market != 0), uniqExactIf(returns, returns != 0)) AS stored_builds
FROM
(
    SELECT date, market, returns, parts.seen_by_batch(key: build) AS counts
    FROM
    (
        SELECT date, build, build AS market, toUInt64(0) AS returns FROM market_day_version
        UNION ALL
        SELECT date, build, 0, build FROM return_day_version
    )
)
GROUP BY date
ORDER BY date
