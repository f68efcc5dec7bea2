-- The windows of series of mutual funds on a day, from the build of the day that a batch reads. Each row is a
-- text of the format RowBinary, which is read many times faster than columns: series_id; effective_end; currency;
-- stated_currency; month_effective_end, nullable; month_currency; and by windows the returns, the reasons and the starts,
-- all nullable. The order of rows is not defined.
--   date       the day
--   build      the batch that built it (days_of_batch.sql)
--   all        every series
--   series_id  else only this one
SELECT formatRow('RowBinary',
    series_id, effective_end, currency, stated_currency, month_effective_end, month_currency,
    return_1m, return_3m, return_6m, return_1y, return_ytd, return_3y_ann, return_5y_ann, return_last_closed_month,
    reason_1m, reason_3m, reason_6m, reason_1y, reason_ytd, reason_3y_ann, reason_5y_ann, reason_last_closed_month,
    start_1m, start_3m, start_6m, start_1y, start_ytd, start_3y_ann, start_5y_ann, start_last_closed_month) AS lines
FROM return_day
WHERE date = {date:Date} AND build = {build:UInt64} AND ({all:Bool} OR series_id = {series_id:UInt32})
SETTINGS max_threads = 1 -- for so few rows, starting a second thread takes longer than it saves
