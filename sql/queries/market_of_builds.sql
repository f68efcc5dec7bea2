-- The rows of the daily market that count on a day: what batch_market_standing has of it, as one
-- text of the format RowBinary. The order is not defined. Of each series: series_id; day of the row; currency; price and
-- equity, previous_equity, month_equity (units of 0.000001 and 0.0001), shareholders, daily_change, monthly_change,
-- family_rar, family_display and category, all nullable; and classified_later.
--   date          the day
--   days, builds  the days from seven before, and the build of each (days_of_batch.sql)
SELECT groupConcat(formatRow('RowBinary',
    series_id, date, currency, price, equity, previous_equity, month_equity, shareholders, daily_change, monthly_change,
    if(said.1 = toDate(0), toNullable(toString(family_rar)), nullIf(said.2, '')), if(said.1 = toDate(0), toNullable(toString(family_display)), nullIf(said.3, '')),
    if(said.1 = toDate(0), toNullable(toString(category)), nullIf(said.4, '')), if(said.1 = toDate(0), classified_later, said.5))) AS lines
FROM (SELECT *, arrayLast(stated -> stated.1 <= {date:Date}, restated) AS said FROM market_day)
WHERE date BETWEEN toDate({date:Date}) - 7 AND {date:Date} AND stands_until >= {date:Date}
  AND (date, build) IN arrayZip({days:Array(Date)}, {builds:Array(UInt64)})
SETTINGS max_threads = 1 -- for so few rows, starting a second thread takes longer than it saves
