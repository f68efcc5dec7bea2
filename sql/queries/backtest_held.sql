-- What each series of mutual funds is worth at both ends of a period in which it is held
-- (docs/backtests.md, section 7): the quote of the first day, or the newest one of the seven days before it,
-- and the newest quote up to the last day, or up to another day for some series. A series without a
-- quote at the beginning has no row. newest is the day of its newest quote in the batch.
--   ended  ids of series that are held until an earlier day than {to}; at least one id, 0 is no series
--   until  for each of these, that day
SELECT
    series_id,
    toFloat64(argMaxIf(quote, date, date <= {from:Date})) AS first_quote,
    toFloat64(argMaxIf(quote, date, date <= last_day))    AS last_quote,
    maxIf(date, date <= last_day)                         AS last_on,
    max(date)                                             AS newest
FROM
(
    SELECT series_id, date, assumeNotNull(quota) AS quote, transform(series_id, {ended:Array(UInt32)}, {until:Array(Date)}, {to:Date}) AS last_day
    FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true)
    WHERE date >= {from:Date} - 7 AND quota > 0
)
GROUP BY series_id
HAVING min(date) <= {from:Date}
