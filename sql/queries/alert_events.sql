-- The alerts of a batch for all series, in a fixed order. Dates are text.
--   as_of   its cutoff
SELECT
    kind, ids[1] AS current_id, ids, toString(event.date) AS date, fund, run, serie,
    before AS value_before, after AS value_after, toString(before_date) AS date_before
FROM batch_alert(
    batch = {batch:UInt64}, as_of = {as_of:Date},
    investment = (SELECT toString(groupArray(assumeNotNull(series_id))) FROM fi_instrument
                  WHERE batch = {batch:UInt64} AND series_id IS NOT NULL)) AS event
ORDER BY kind, series_id, event.date
