-- The newest calendar days on which the market is not complete, among the days from the first
-- quote to the last one, and how many there are of them in all.
--   most   greatest number of days
WITH published_rates AS (SELECT date AS rate_date FROM batch_indicator(batch = {batch:UInt64}) WHERE code = 'dolar')
SELECT
    count() OVER () AS total,
    days.date AS date,
    toBool(days.date IN (SELECT rate_date FROM published_rates)) AS has_rate,
    counts.has_data AS has_data, counts.prior_series AS prior_series, counts.present_series AS present_series, counts.void_series AS rejected_series
parts.from_calendar
WHERE NOT counts.complete
ORDER BY date DESC
LIMIT {most:UInt32}
