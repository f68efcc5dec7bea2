-- By how much a series has grown in a valuation on each day of a range, as a fraction of the first
-- quota in the range. A day lacks where a rate lacks (cuota_rate_reason), and where the series has
-- another currency than on the first one.
--   valuation              clp, or real_uf for pesos beyond the growth of the UF
--   days, versions, quota  names of tables and of a column, as in days.sql
SELECT date, cuota_valued({valuation:String}, value / first.2, 0, in_dollars, first.5, fx_value, first.6, uf_value) AS growth
FROM
(
    SELECT *, first_value((date, value, in_dollars, fx_date, fx_value, uf_value)) OVER (ORDER BY date ROWS UNBOUNDED PRECEDING) AS first
    FROM
    (
        SELECT date, toFloat64(assumeNotNull({quota:Identifier})) AS value, currency = 'DOLAR' AS in_dollars
        FROM {days:Identifier}
        WHERE series_id = {series_id:UInt32} AND date BETWEEN {from_date:Date} AND {to_date:Date} AND {quota:Identifier} > 0 AND currency IN ('PESOS', 'DOLAR')
          AND (date, build) IN parts.newest_builds(list: {versions:Identifier})
    ) AS quotes
    LEFT JOIN
    (
        SELECT date, fx.date AS fx_date, fx.value AS fx_value, uf.value AS uf_value
        FROM fx_uf_rate
        WHERE batch = {batch:UInt64} AND date BETWEEN {from_date:Date} AND {to_date:Date}
    ) AS rates USING (date)
)
WHERE in_dollars = first.3
  AND cuota_rate_reason({valuation:String} = 'real_uf', in_dollars, date, fx_date, fx_value, uf_value, first.1, first.4, first.5, first.6) IS NULL
  AND isFinite(growth)
ORDER BY date
