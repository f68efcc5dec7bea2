-- What the batch has of each calendar day of its history, so that a statement about one day needs
-- none of the views that look it up:
--   has_data, complete        as in market_completeness (RULES 1)
--   market_build              build of market_day that the batch reads; 0: none
--   return_build              the same of return_day
--   dolar                     dólar observado of the day (batch_dolar), as text; empty: none
--   reported                  whether a comparator of the regulator is of the day
--   long_steps                whether the index of a family has a step that passes over days (family_long_step)
--   openings                  of the indices of families on the day, in the format RowBinary: family, currency,
--                             and the day from which the daily change in market-summary counts (index_day)
--   target_starts, target_ends  of the eight windows that end on the day; empty without windows
-- Parameter:
--   batch  number of the batch
SELECT
    date, max(has) AS has_data, max(whole) AS complete, max(market) AS market_build, max(windows) AS return_build,
    max(rate) AS dolar, max(report) AS reported, max(long) AS long_steps, max(opened) AS openings,
    if(return_build = 0, [], arrayMap(w -> w.3, cuota_windows(date, cuota_closed_month_end(date)))) AS target_starts,
    if(return_build = 0, [], arrayMap(w -> w.4, cuota_windows(date, cuota_closed_month_end(date)))) AS target_ends
FROM
(
    SELECT date, has_data AS has, complete AS whole, toUInt64(0) AS market, toUInt64(0) AS windows, '' AS rate, false AS report, false AS long, '' AS opened
    FROM market_completeness WHERE batch = {batch:UInt64}
    UNION ALL
    SELECT date, false, false, build, 0, '', false, false, '' FROM market_day_version
    WHERE build <= {batch:UInt64} AND (build = {batch:UInt64} OR build NOT IN (SELECT batch FROM batch_failure))
    UNION ALL
    SELECT date, false, false, 0, build, '', false, false, '' FROM return_day_version
    WHERE build <= {batch:UInt64} AND (build = {batch:UInt64} OR build NOT IN (SELECT batch FROM batch_failure))
    UNION ALL
    SELECT date, false, false, 0, 0, toString(value), false, false, '' FROM batch_dolar(batch = {batch:UInt64})
    UNION ALL
    SELECT DISTINCT date, false, false, 0, 0, '', true, false, '' FROM fact_official_return
    WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
    UNION ALL
    SELECT DISTINCT date, false, false, 0, 0, '', false, true, '' FROM batch_family_long_step(batch = {batch:UInt64}, from = '1971-01-01', to = '2149-06-06')
    UNION ALL
    SELECT date, false, false, 0, 0, '', false, false, groupConcat(formatRow('RowBinary', toString(family_rar), toString(currency), assumeNotNull(opening_date)))
    FROM index_day WHERE batch = {batch:UInt64} AND opening_date IS NOT NULL
    GROUP BY date
)
GROUP BY date
ORDER BY date
