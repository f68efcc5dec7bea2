-- The dólar observado for each calendar day, as batch N sees it: the last one published on
-- or before the day, at most 7 days old (RULES 1).
--   SELECT * FROM batch_dolar(batch = 7) WHERE date = '2025-07-20'
CREATE OR REPLACE VIEW batch_dolar AS
SELECT date, argMax(rate, published_on) AS value, max(published_on) AS published
FROM
(
    SELECT indicator.date + arrayJoin(range(8)) AS date, indicator.date AS published_on, indicator.value AS rate
    FROM batch_indicator(batch = {batch:UInt64}) AS indicator
    WHERE code = 'dolar'
)
GROUP BY date
