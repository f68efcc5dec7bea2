-- The UF and the dólar observado on each calendar day of a range, and what 1 has become
-- since its first day at a fixed rate a year, for lines that a reader adds to a chart. A value is
-- null where there is none: the UF counts on its own day only, the dólar on the seven days after
-- its publication too (cuota_rate_reason). A year is one from an anniversary of the first day
-- to the next one, so that n years at 5 percent make 1.05 to the power of n.
--   rate      percent a year; null for no such line
--   currency  PESOS or DOLAR: that of the UF and of the dólar, at the dólar of the day
SELECT date, uf, dollar, pow(1 + {rate:Nullable(Float64)} / 100, years + (date - addYears(first, years)) / (addYears(first, years + 1) - addYears(first, years))) AS fixed
FROM
(
    SELECT {from_date:Date} AS first, first + number AS date, age('year', first, date) AS years
    FROM numbers(toUInt64({to_date:Date} - {from_date:Date} + 1))
) AS days
LEFT JOIN
(
    SELECT date, pesos_of_uf / unit AS uf, pesos_of_dollar / unit AS dollar
    FROM
    (
        SELECT date, if(uf.value > 0, toFloat64(uf.value), NULL) AS pesos_of_uf,
            if(fx.value > 0 AND date - fx.date <= 7, toFloat64(fx.value), NULL) AS pesos_of_dollar,
            if({currency:String} = 'DOLAR', pesos_of_dollar, 1) AS unit
        FROM fx_uf_rate
        WHERE batch = {batch:UInt64} AND date BETWEEN {from_date:Date} AND {to_date:Date}
    )
) AS rates USING (date)
ORDER BY date
