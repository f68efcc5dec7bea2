-- The events of a batch for some series, in a fixed order. Dates as text.
--   batch   number of the batch
--   as_of   its cutoff
--   series  ids of series; empty: all
SELECT
    kind, toString(series_id) AS current_id, ids, toString(event.date) AS date, fund, run, serie,
    before AS value_before, after AS value_after, toString(before_date) AS date_before
FROM alert_of(batch = {batch:UInt64}, as_of = {as_of:Date}, series = {series:Array(UInt32)}) AS event
ORDER BY kind, series_id
