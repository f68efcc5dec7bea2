-- One row for each series and day between {from} and {to}, for the days that this batch
-- builds, whichever name of the series was quoted. A row whose quota is not above 0 is void,
-- like a row that ingest rejected. Of a void row, only its existence counts (RULES 1).
--
-- chunks: quota_chunks
INSERT INTO series_day
    (series_id, date, build, quota, currency, equity, shareholders, manager_rut, units_outstanding, units_contributed,
     units_redeemed, costs, invested_in_funds, adjustment_factor, distribution_factor)
WITH ifNull(quota > 0, false) AS sound
SELECT
    labels.series_id, date, {batch:UInt64},
    if(sound, quota, NULL),
    if(sound, cuota_currency(moneda), ''),
    if(sound, equity, NULL),
    if(sound, shareholders, NULL),
    if(sound, manager_rut, 0),
    if(sound, units_outstanding, NULL),
    if(sound, units_contributed, NULL),
    if(sound, units_redeemed, NULL),
    if(sound, fixed_fee + variable_fee + affected_expenses + unaffected_expenses, NULL),
    if(sound, invested_in_funds, NULL),
    if(sound, adjustment_factor, NULL),
    if(sound, distribution_factor, NULL)
FROM batch_quota(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}) AS quotas
INNER JOIN (SELECT run, serie, series_id FROM batch_series_name(batch = {batch:UInt64})) AS labels USING (run, serie)
WHERE date IN (SELECT date FROM series_day_version WHERE build = {batch:UInt64})
  AND (run, serie, date) NOT IN (SELECT run, serie, date FROM batch_outranked_quota(batch = {batch:UInt64}))
