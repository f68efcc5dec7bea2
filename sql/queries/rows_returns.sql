-- The price returns of every series on the days of a period as the batch stored them, a column for
-- each window.
--   batch          number of the batch
--   from, to       first and last day
--   limit, offset  the page
SELECT
    stored.series_id AS series_id, stored.date AS date, nullIf(stored.currency, '') AS currency, stored.effective_end AS effective_end,
    nullIf(stored.month_currency, '') AS month_currency, stored.month_effective_end AS month_effective_end,
    stored.return_1m AS return_1m, stored.return_3m AS return_3m, stored.return_6m AS return_6m, stored.return_1y AS return_1y,
    stored.return_ytd AS return_ytd, stored.return_3y_ann AS return_3y_ann, stored.return_5y_ann AS return_5y_ann, stored.return_last_closed_month AS return_last_closed_month,
    stored.reason_1m AS reason_1m, stored.reason_3m AS reason_3m, stored.reason_6m AS reason_6m, stored.reason_1y AS reason_1y,
    stored.reason_ytd AS reason_ytd, stored.reason_3y_ann AS reason_3y_ann, stored.reason_5y_ann AS reason_5y_ann, stored.reason_last_closed_month AS reason_last_closed_month,
    stored.start_1m AS start_1m, stored.start_3m AS start_3m, stored.start_6m AS start_6m, stored.start_1y AS start_1y,
    stored.start_ytd AS start_ytd, stored.start_3y_ann AS start_3y_ann, stored.start_5y_ann AS start_5y_ann, stored.start_last_closed_month AS start_last_closed_month
FROM batch_return_day(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}) AS stored
ORDER BY stored.date, stored.series_id
LIMIT {limit:UInt64} OFFSET {offset:UInt64}
