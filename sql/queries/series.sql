-- A series by its id, with its newest name and the accounting currency of its last
-- quote on or before a date that states one: null for a currency that is neither
-- PESOS nor DOLAR, and without a quote. No row for an id that the batch has no quote of.
--   batch      number of the batch
--   series_id  id of the series
--   as_of      the date
WITH
    (
        SELECT (count(), argMaxIf(currency, date, date <= {as_of:Date} AND currency != ''))
        FROM series_day_of(batch = {batch:UInt64}, series = [{series_id:UInt32}], all_series = false)
    ) AS quoted
SELECT
    id AS series_id, run, serie,
    if(quoted.2 IN ('PESOS', 'DOLAR'), toNullable(quoted.2), NULL) AS currency
FROM registry
WHERE kind = 'series' AND id = {series_id:UInt32} AND batch <= {batch:UInt64} AND quoted.1 > 0
LIMIT 1
