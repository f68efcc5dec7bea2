-- Official dollar and UF of each calendar day of a period that has any. 0 means none: of the dollar if
-- none was published on the day or in the 7 days before, of the UF if none is published for the day.
SELECT date, max(rate.1) AS dolar, max(rate.2) AS uf
FROM
(
    SELECT date, (toFloat64(value), 0.) AS rate FROM batch_dolar(batch = {batch:UInt64}) WHERE date BETWEEN {from:Date} AND {to:Date}
    UNION ALL
    SELECT date, (0., toFloat64(value)) FROM batch_indicator(batch = {batch:UInt64}) WHERE code = 'uf' AND date BETWEEN {from:Date} AND {to:Date}
)
GROUP BY date
ORDER BY date
