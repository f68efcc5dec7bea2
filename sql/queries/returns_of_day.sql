-- The returns of every series of mutual funds at a past date, as the batch stored them. No
-- row if no series was quoted on the day.
--   batch  number of the batch
--   date   the day
WITH cuota_windows(toDate({date:Date}), cuota_closed_month_end(toDate({date:Date}))) AS windows
SELECT
    arrayMap(w -> w.3, windows) AS target_starts,
    arrayMap(w -> w.4, windows) AS target_ends,
    series_id, effective_end, currency, if(stated_currency IN ('PESOS', 'DOLAR'), stated_currency, '') AS stated_currency,
    month_effective_end, month_currency,
    [return_1m, return_3m, return_6m, return_1y, return_ytd, return_3y_ann, return_5y_ann, return_last_closed_month] AS returns,
    [reason_1m, reason_3m, reason_6m, reason_1y, reason_ytd, reason_3y_ann, reason_5y_ann, reason_last_closed_month] AS reasons,
    [start_1m, start_3m, start_6m, start_1y, start_ytd, start_3y_ann, start_5y_ann, start_last_closed_month]         AS starts
FROM batch_return_day(batch = {batch:UInt64}, from = {date:Date}, to = {date:Date})
WHERE series_id IN (SELECT id FROM registry WHERE kind = 'series')
ORDER BY series_id
