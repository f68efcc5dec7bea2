-- A series by its id, with its newest name, and with the accounting currency of its last
-- quote on or before a date that states one. The currency is null if it is neither PESOS
-- nor DOLAR, or if there is no quote. No row if the batch has no quote under the id.
WITH
    (
        SELECT (count(), argMaxIf(currency, date, date <= {as_of:Date} AND currency != ''))
        FROM batch_series_day(batch = {batch:UInt64}, series = [{series_id:UInt32}], all_series = false)
    ) AS quoted
SELECT
    id AS series_id, run, serie,
    if(quoted.2 IN ('PESOS', 'DOLAR'), toNullable(quoted.2), NULL) AS currency
FROM registry
WHERE kind = 'series' AND id = {series_id:UInt32} AND batch <= {batch:UInt64} AND quoted.1 > 0
LIMIT 1
