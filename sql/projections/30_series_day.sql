-- One row per series and day for the days that this batch builds.
INSERT INTO series_day
    (series_id, date, build, quota, currency, equity, shareholders, manager_rut, units_outstanding, units_contributed,
     units_redeemed, costs, adjustment_factor, distribution_factor)
SELECT
    registered.id, date, {batch:UInt64}, quota, cuota_currency(moneda), equity, shareholders, manager_rut, units_outstanding,
    units_contributed, units_redeemed, fixed_fee + variable_fee + affected_expenses + unaffected_expenses,
    adjustment_factor, distribution_factor
FROM quota_of(batch = {batch:UInt64}) AS quotas
INNER JOIN (SELECT id, run, serie FROM registry WHERE kind = 'series') AS registered USING (run, serie)
WHERE date IN (SELECT date FROM day_build WHERE build = {batch:UInt64})
