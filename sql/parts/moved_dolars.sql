-- The days of which the dólar differs from that of the previous batch.
SELECT date
FROM
(
    SELECT date, value FROM batch_dolar(batch = {batch:UInt64})
    UNION ALL
    SELECT date, value FROM batch_dolar(batch = {previous:UInt64})
)
GROUP BY date HAVING count() = 1 OR min(value) != max(value)
