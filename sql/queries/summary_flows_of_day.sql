-- The same as summary_flows.sql for one day (docs/decisions/0047).
--   date          the day
--   days, builds  the days since one month and a week earlier, and the build of each (days_of_batch.sql)
SELECT
    count()                                                        AS series,
    countIf(known)                                                 AS daily,
    countIf(month_start IS NOT NULL AND last_without <= month_start) AS monthly
FROM
(
    SELECT
        series_id,
        maxIf(date, flow IS NULL)                            AS last_without, -- 1970-01-01 if there is none
        anyIf(month_date, date = {date:Date})                AS month_start,
        countIf(date = {date:Date} AND flow IS NOT NULL) > 0 AS known
    FROM market_day
    WHERE date BETWEEN subtractMonths(toDate({date:Date}), 1) - 7 AND {date:Date}
      AND (date, build) IN arrayZip({days:Array(Date)}, {builds:Array(UInt64)})
    GROUP BY series_id
    HAVING countIf(date = {date:Date} AND price IS NOT NULL) > 0
)
SETTINGS max_threads = 1 -- for so few rows, starting a second thread takes longer than it saves
