-- Price returns in accounting currency at any date, from the quotes of batch N: one row for
-- each series and window, with the reason if there is no value (RULES 1). It covers the
-- series in the list, or every series if all_series is set.
--   SELECT * FROM batch_price_return(batch = 7, as_of = '2024-02-29', series = [4047362302], all_series = false)
CREATE OR REPLACE VIEW batch_price_return AS
SELECT
    series_id,
    window,
    if(reason IS NULL, cuota_annual(end_quota / start_quota, years), NULL) AS value,
    if(reason IS NULL, end_currency, NULL)  AS currency,
    reason,
    target_start,
    target_end,
    nullIf(start_date, toDate(0))           AS effective_start,
    nullIf(end_date, toDate(0))             AS effective_end
FROM window_endpoints(batch = {batch:UInt64}, as_of = {as_of:Date}, series = {series:Array(UInt32)}, all_series = {all_series:Bool})
