-- Which quotas did we believe on a date that have been corrected since?
--
-- Answer: one row for each quota that is another one today: fund, series, day, the quota as it was known on
-- the evening of 2025-07-01 (UTC), the quota of today, and the difference in percent.
-- Caveats: what was known at a moment is in the newest batch that was published by then. In the market of
-- the cookbook, the file with the corrections came a day later. It has two batches of those days, which only the
-- test makes. On your server, replace the moment by a published_at of funds.batches whose batch is readable.
-- Market: synthetic
SELECT
    listed.run AS run, listed.serie AS serie, known.date AS date,
    known.quota                                  AS quota_then,
    today.quota                                  AS quota_today,
    round(100 * (today.quota / known.quota - 1), 2) AS difference_percent
FROM funds.quotas_known_at(known_at = '2025-07-01 23:59:59') AS known
INNER JOIN funds.cartola_daily AS today ON today.series_id = known.series_id AND today.date = known.date
INNER JOIN funds.series AS listed ON listed.series_id = known.series_id
WHERE known.quota != today.quota
ORDER BY run, serie, date
