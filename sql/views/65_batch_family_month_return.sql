-- The return of the index of each family and currency in each month, as batch N sees it
-- (RULES 5): from its level at the previous month end to its level at this one. The level
-- of a month end is that of the last point, at most 7 days older. If either level is
-- missing, there is no row. No point lies between a month end and the point that gives its
-- level, so the return is the product of the points of the month, in the order of days. It
-- does not depend on the history before them.
--   SELECT * FROM batch_family_month_return(batch = 7) WHERE family_rar = 'Accionario nacional' ORDER BY currency, month
CREATE OR REPLACE VIEW batch_family_month_return AS
SELECT family_rar, currency, month, growth - 1 AS index_return
FROM
(
    SELECT
        family_rar, currency, month, last_point, growth,
        lagInFrame(last_point, 1, toDate(0)) OVER (PARTITION BY family_rar, currency ORDER BY month ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS opening_point
    FROM
    (
        SELECT
            family_rar, currency, toLastDayOfMonth(date) AS month,
            max(date) AS last_point,
            arrayProduct(arrayMap(point -> 1 + point.2, arraySort(groupArray((date, ifNull(step, 0)))))) AS growth
        FROM index_day
        WHERE batch = {batch:UInt64} AND value IS NOT NULL
        GROUP BY family_rar, currency, month
    )
)
WHERE month - last_point <= 7
  AND opening_point != toDate(0) AND toStartOfMonth(month) - 1 - opening_point <= 7
