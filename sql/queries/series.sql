-- A series by its id, with the accounting currency of its last quote on or
-- before a date: null for a currency that is neither PESOS nor DOLAR, and
-- without a quote.
--   batch      number of the batch
--   series_id  id of the series
--   as_of      the date
SELECT
    id AS series_id, run, serie,
    (
        SELECT if(argMax(currency, date) IN ('PESOS', 'DOLAR'), toNullable(argMax(currency, date)), NULL)
        FROM series_day_of(batch = {batch:UInt64}, series = [{series_id:UInt32}])
        WHERE date <= {as_of:Date}
    ) AS currency
FROM registry
WHERE kind = 'series' AND id = {series_id:UInt32} AND batch <= {batch:UInt64}
LIMIT 1
