-- The quotas of a series on the days of a range, and by how much it has grown in a valuation until each of them, as a
-- fraction of the first quota above 0 in pesos or dollars. Growth is null on a day of another quota, where a rate lacks
-- (cuota_rate_reason), and where the series has another currency than on the first one.
--   valuation              clp; real_uf for pesos beyond the growth of the UF; or usd for dollars, at the dólar of the
--                          quote's day
--   days, versions, quota  names of tables and of a column, as in days.sql
SELECT
    date, quota,
    valid AND in_dollars = first.3
        AND isFinite(cuota_valued(if(usd, 'accounting', {valuation:String}), multiple, 0, in_dollars, first.5, fx_value, first.6, uf_value) AS valued)
        AND cuota_rate_reason({valuation:String} = 'real_uf', in_dollars != usd, date, fx_date, fx_value, uf_value, first.1, first.4, first.5, first.6) IS NULL
        ? toNullable(valued) : NULL AS growth
FROM
(
    SELECT
        *, {valuation:String} = 'usd' AS usd,
        value / first.2 * if(usd AND NOT in_dollars, toFloat64(first.5) / toFloat64(fx_value), 1) AS multiple,
        argMinIf((date, value, in_dollars, fx_date, fx_value, uf_value), date, valid) OVER () AS first
    FROM
    (
        SELECT
            date, assumeNotNull({quota:Identifier}) AS quota, toFloat64(quota) AS value, currency = 'DOLAR' AS in_dollars,
            quota > 0 AND currency IN ('PESOS', 'DOLAR') AS valid
        FROM {days:Identifier} AS days
        WHERE series_id = {series_id:UInt32} AND date BETWEEN {from_date:Date} AND {to_date:Date} AND days.{quota:Identifier} IS NOT NULL
          AND (date, build) IN parts.newest_builds(list: {versions:Identifier})
    ) AS quotes
    LEFT JOIN
    (
        SELECT date, fx.date AS fx_date, fx.value AS fx_value, uf.value AS uf_value
        FROM fx_uf_rate
        WHERE batch = {batch:UInt64} AND date BETWEEN {from_date:Date} AND {to_date:Date}
    ) AS rates USING (date)
)
ORDER BY date
SETTINGS max_threads = 1 -- for so few rows, starting a second thread takes longer than it saves
