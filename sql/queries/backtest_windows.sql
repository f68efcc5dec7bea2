-- The windows of all series that end on some days: their returns, and the days of the quotes with which they
-- begin. It has one row for each day. Its columns are one text of the format RowBinary, each an array in the
-- same order of series, which is read many times faster than rows: series_id; the returns by
-- windows; and the days. What is not known is NaN or the day 0.
--   batch  number of the batch
--   days   days with data
SELECT
    date AS day,
    formatRow('RowBinary',
        groupArray(series_id),
        groupArray(ifNull(return_1m, nan)), groupArray(ifNull(return_3m, nan)), groupArray(ifNull(return_6m, nan)), groupArray(ifNull(return_1y, nan)),
        groupArray(ifNull(return_ytd, nan)), groupArray(ifNull(return_3y_ann, nan)), groupArray(ifNull(return_5y_ann, nan)), groupArray(ifNull(return_last_closed_month, nan)),
        groupArray(ifNull(start_1m, toDate(0))), groupArray(ifNull(start_3m, toDate(0))), groupArray(ifNull(start_6m, toDate(0))), groupArray(ifNull(start_1y, toDate(0))),
        groupArray(ifNull(start_ytd, toDate(0))), groupArray(ifNull(start_3y_ann, toDate(0))), groupArray(ifNull(start_5y_ann, toDate(0))), groupArray(ifNull(start_last_closed_month, toDate(0)))) AS columns
FROM batch_return_day(batch = {batch:UInt64}, from = arrayMin({days:Array(Date)}), to = arrayMax({days:Array(Date)}))
WHERE date IN {days:Array(Date)}
GROUP BY date
