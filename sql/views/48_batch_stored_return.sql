-- The price returns of each day of a period as batch N stored them, with the columns of
-- batch_price_return: one row for each day, series and window. It has no rows of a day on
-- which no series was quoted, and none of a series before its first quote or more than 38 days
-- after its newest.
--   SELECT * FROM batch_stored_return(batch = 7, from = '2024-02-29', to = '2024-02-29') WHERE window = '1y'
CREATE OR REPLACE VIEW batch_stored_return AS
SELECT
    date,
    series_id,
    w.1.1                       AS window,
    w.2                         AS value,
    if(w.3 IS NULL, w.5, NULL)  AS currency,
    w.3                         AS reason,
    w.1.3                       AS target_start,
    w.1.4                       AS target_end,
    w.4                         AS effective_start,
    w.6                         AS effective_end
FROM (SELECT *, currency AS end_currency, effective_end AS end_quote FROM batch_return_day(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}))
ARRAY JOIN arrayZip(
    cuota_windows(date, cuota_closed_month_end(date)),
    [return_1m, return_3m, return_6m, return_1y, return_ytd, return_3y_ann, return_5y_ann, return_last_closed_month],
    [reason_1m, reason_3m, reason_6m, reason_1y, reason_ytd, reason_3y_ann, reason_5y_ann, reason_last_closed_month],
    [start_1m, start_3m, start_6m, start_1y, start_ytd, start_3y_ann, start_5y_ann, start_last_closed_month],
    arrayPushBack(arrayResize([end_currency], 7, end_currency), month_currency),
    arrayPushBack(arrayResize([toNullable(end_quote)], 7, end_quote), month_effective_end)) AS w
