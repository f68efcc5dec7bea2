-- For how many of a day's series the net contributions are known: those of the day, and
-- those of every quote since one month earlier. All series with a quote on the day count,
-- even if they have closed since.
--   batch  number of the batch
--   date   a day with data
SELECT
    count()              AS series,
    countIf(has_day)     AS daily,
    countIf(has_month)   AS monthly
FROM
(
    SELECT
        series_id,
        max(date = {date:Date} AND flow IS NOT NULL)         AS has_day,
        maxOrNullIf(month_date, date = {date:Date})          AS opened,
        maxOrNullIf(date, flow IS NULL)                      AS last_without,
        opened IS NOT NULL AND ifNull(last_without <= opened, true) AS has_month
    FROM batch_market_day(batch = {batch:UInt64}, from = subtractMonths(toDate({date:Date}), 1) - 7, to = {date:Date})
    GROUP BY series_id
    HAVING max(date = {date:Date} AND price IS NOT NULL)
)
