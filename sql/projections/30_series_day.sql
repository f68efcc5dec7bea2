-- One row per series and day for the days that this batch builds.
INSERT INTO series_day
    (series_id, date, build, quota, currency, equity, shareholders, adjustment_factor, distribution_factor)
SELECT
    registered.id, date, {batch:UInt64}, quota, cuota_currency(moneda), equity, shareholders, adjustment_factor, distribution_factor
FROM quota_of(batch = {batch:UInt64}) AS quotas
INNER JOIN (SELECT id, run, serie FROM registry WHERE kind = 'series') AS registered USING (run, serie)
WHERE date IN (SELECT date FROM day_build WHERE build = {batch:UInt64})
