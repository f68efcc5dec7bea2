-- How deep did each series fall below its highest quota, and how long did it take to recover?
--
-- Answer: one row for each series of the RUN 9809-4 and 9810-8: the deepest fall in percent, the day of the peak
-- before it, the day of the trough, the day on which the quota was back at the peak (empty if it is not yet),
-- and the days from peak to trough and from trough to recovery.
-- Caveats: quotas of each day, without distributions. The history of the demo begins in October 2019. A series
-- that ended before it recovered has no recovery. Falls below 0.1 % are left out.
-- Market: demo
WITH
    days AS
    (
        SELECT run, serie, series_id, date, quota, max(quota) OVER (PARTITION BY series_id ORDER BY date) AS peak
        FROM funds.daily
        INNER JOIN funds.series USING (series_id)
        WHERE run IN ('9809-4', '9810-8') AND quota > 0
    ),
    troughs AS
    (
        SELECT run, serie, series_id, argMin(date, (quota / peak, date)) AS trough, min(quota / peak) - 1 AS fall, argMin(peak, (quota / peak, date)) AS lost_peak
        FROM days
        GROUP BY run, serie, series_id
    )
SELECT
    run, serie,
    round(100 * any(fall), 2)                                         AS fall_percent,
    minIf(date, date <= trough AND quota = lost_peak)                 AS peak_day,
    trough                                                            AS trough_day,
    minIfOrNull(date, date > trough AND quota >= lost_peak)           AS recovery_day,
    trough_day - peak_day                                             AS falling_days,
    recovery_day - trough_day                                         AS recovering_days
FROM days
INNER JOIN troughs USING (run, serie, series_id)
GROUP BY run, serie, trough
HAVING any(fall) < -0.001
ORDER BY any(fall), run, serie
