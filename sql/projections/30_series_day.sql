-- One row per series and day for the days that this batch builds, under whichever
-- of its names the series was quoted.
INSERT INTO series_day
    (series_id, date, build, quota, currency, equity, shareholders, manager_rut, units_outstanding, units_contributed,
     units_redeemed, costs, adjustment_factor, distribution_factor)
SELECT
    labels.series_id, date, {batch:UInt64}, quota, cuota_currency(moneda), equity, shareholders, manager_rut, units_outstanding,
    units_contributed, units_redeemed, fixed_fee + variable_fee + affected_expenses + unaffected_expenses,
    adjustment_factor, distribution_factor
FROM quota_of(batch = {batch:UInt64}) AS quotas
INNER JOIN (SELECT run, serie, series_id FROM label_of(batch = {batch:UInt64})) AS labels USING (run, serie)
WHERE date IN (SELECT date FROM day_build WHERE build = {batch:UInt64})
  AND (run, serie, date) NOT IN (SELECT run, serie, date FROM outranked_quota_of(batch = {batch:UInt64}))
