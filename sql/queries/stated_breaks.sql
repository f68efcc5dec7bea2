-- The series whose breaks (projections/30_discontinuity.sql) a batch may find otherwise if the quotes of the external
-- table supposed counted: of the series asked for, those for which this can't be excluded. It errs on that side.
-- supposed has the columns series_id, date, quota, currency (as written), equity, adjustment_factor and
-- distribution_factor, and nulls where the row is void.
--
-- A series is not among them only if each of its days in supposed had a sound quota and keeps one, with the same currency, the
-- same factors and an equity above 0; if there is no break on such a day or on the next sound one; and if the quota
-- moves by less than 15 % to and from each such day, before and after, also with the factor de reparto. Neither kind
-- of a change of unit is possible then: a power of ten needs a step to 12 % or less, or to 8 times or more, and the
-- quotas outstanding need one to 80 % or less, or to 120 % or more.
WITH
    stored AS
    (
        SELECT series_id, date, quota, currency, equity,
               ifNull(adjustment_factor, 1) AS adjustment, ifNull(distribution_factor, 1) AS distribution
        FROM batch_series_day(batch = {batch:UInt64}, series = {series:Array(UInt32)}, all_series = false)
    ),
    stated AS
    (
        SELECT series_id, date, if(ifNull(supposed.quota > 0, false), supposed.quota, NULL) AS quota,
               cuota_currency(supposed.currency) AS currency, equity,
               ifNull(adjustment_factor, 1) AS adjustment, ifNull(distribution_factor, 1) AS distribution
        FROM supposed
    ),
    sides AS
    (
        SELECT series_id, date, quota, distribution, 0 AS side,
               (series_id, date) IN (SELECT series_id, date FROM supposed) AS touched
        FROM stored
        UNION ALL
        SELECT series_id, date, quota, distribution, 1, 0
        FROM stored
        WHERE (series_id, date) NOT IN (SELECT series_id, date FROM supposed)
        UNION ALL
        SELECT series_id, date, quota, distribution, 1, 1 FROM stated
    ),
    steps AS
    (
        SELECT
            series_id, date,
            row_number() OVER neighbours > 1                           AS has_previous,
            touched = 1 OR lagInFrame(touched, 1) OVER neighbours = 1  AS near,
            toFloat64(assumeNotNull(quota)) AS value,
            value / lagInFrame(value, 1) OVER neighbours               AS step,
            step * toFloat64(distribution)                             AS paid_step
        FROM sides
        WHERE quota IS NOT NULL
        WINDOW neighbours AS (PARTITION BY side, series_id ORDER BY date ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
    )
SELECT series_id
FROM
(
    SELECT stated.series_id AS series_id
    FROM stated
    LEFT JOIN stored ON stored.series_id = stated.series_id AND stored.date = stated.date
    WHERE NOT ifNull(stated.quota > 0 AND stored.quota > 0 AND stated.equity > 0 AND stored.equity > 0
                     AND stated.currency = stored.currency AND stated.adjustment = stored.adjustment
                     AND stated.distribution = stored.distribution, false)
    UNION ALL
    SELECT series_id
    FROM steps
    WHERE near AND has_previous AND (abs(step - 1) >= 0.15 OR abs(paid_step - 1) >= 0.15)
    UNION ALL
    SELECT series_id
    FROM steps
    WHERE near AND (series_id, date) IN
    (
        SELECT series_id, date FROM discontinuity
        WHERE batch = {batch:UInt64} AND series_id IN {series:Array(UInt32)} AND kind != 'curated'
    )
)
GROUP BY series_id
ORDER BY series_id
SETTINGS join_use_nulls = 1
