-- What the batch has of each calendar day of its history, so that a statement about one day needs
-- none of the views that look it up:
--   has_data, complete        as in market_completeness (RULES 1)
--   market_build              build of market_day that the batch reads; 0: none
--   return_build              the same of return_day
--   dolar                     dólar observado of the day (batch_dolar), as text; empty: none
--   reported                  whether a comparator of the regulator is of the day
--   series, daily, monthly    for how many series the flows are known (flow_day)
--   target_starts, target_ends  of the eight windows that end on the day; empty if the day has neither windows nor data
SELECT
    date, max(has) AS has_data, max(whole) AS complete, max(market) AS market_build, max(windows) AS return_build,
    max(rate) AS dolar, max(report) AS reported, max(known.1) AS series, max(known.2) AS daily, max(known.3) AS monthly,
    if(return_build = 0 AND NOT has_data AND NOT complete, [], arrayMap(w -> w.3, cuota_windows(date, cuota_closed_month_end(date)))) AS target_starts,
    if(return_build = 0 AND NOT has_data AND NOT complete, [], arrayMap(w -> w.4, cuota_windows(date, cuota_closed_month_end(date)))) AS target_ends
FROM
(
    SELECT date, has_data AS has, complete AS whole, toUInt64(0) AS market, toUInt64(0) AS windows, '' AS rate, false AS report, (toUInt64(0), toUInt64(0), toUInt64(0)) AS known
    FROM market_completeness WHERE batch = {batch:UInt64}
    UNION ALL
    SELECT date, false, false, build, 0, '', false, (0, 0, 0) FROM market_day_version
    WHERE parts.seen_by_batch(key: build)
    UNION ALL
    SELECT date, false, false, 0, build, '', false, (0, 0, 0) FROM return_day_version
    WHERE parts.seen_by_batch(key: build)
    UNION ALL
    SELECT date, false, false, 0, 0, toString(value), false, (0, 0, 0) FROM batch_dolar(batch = {batch:UInt64})
    UNION ALL
    SELECT DISTINCT date, false, false, 0, 0, '', true, (0, 0, 0) FROM fact_official_return
    WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
    UNION ALL
    SELECT date, false, false, 0, 0, '', false, (series, daily_known, monthly_known) FROM batch_flow_day(batch = {batch:UInt64})
)
GROUP BY date
ORDER BY date
