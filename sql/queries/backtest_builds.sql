-- Which build of each day a batch reads in market_day and in return_day, as the views batch_market_day and batch_return_day
-- choose it; 0 if the table has none that counts.
--   batch  number of the batch
SELECT date, max(market) AS market_build, max(windows) AS return_build
FROM
(
    SELECT date, build, build AS market, toUInt64(0) AS windows FROM market_day_version
    UNION ALL
    SELECT date, build, 0, build FROM return_day_version
)
WHERE build <= {batch:UInt64} AND (build = {batch:UInt64} OR build NOT IN (SELECT batch FROM batch_failure))
GROUP BY date
ORDER BY date
