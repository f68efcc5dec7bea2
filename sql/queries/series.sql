-- A series by its id, or by that of any name it had, with its name at the cutoff
-- and the accounting currency of its last quote on or before a date: null for a
-- currency that is neither PESOS nor DOLAR, and without a quote. No row for an id
-- that the batch knows no quote of.
--   batch      number of the batch
--   series_id  the id
--   as_of      the date
WITH
    ifNull((SELECT series_id FROM series_label WHERE batch = {batch:UInt64} AND label_id = {series_id:UInt32}), {series_id:UInt32}) AS newest_id,
    (SELECT as_of_date FROM batch WHERE batch = {batch:UInt64}) AS cutoff,
    (
        SELECT (count(), argMaxIf(currency, date, date <= {as_of:Date}))
        FROM series_day_of(batch = {batch:UInt64}, series = [newest_id])
    ) AS quoted
SELECT
    newest_id AS series_id, {series_id:UInt32} AS asked_id, run,
    ifNull(
        (
            SELECT argMax(serie, (ifNull(cutoff, toDate('2149-06-06')) BETWEEN valid_from AND valid_until, -position))
            FROM series_label
            WHERE batch = {batch:UInt64} AND series_id = newest_id
            HAVING count() > 0
        ),
        serie) AS serie,
    if(quoted.2 IN ('PESOS', 'DOLAR'), toNullable(quoted.2), NULL) AS currency
FROM registry
WHERE kind = 'series' AND id = {series_id:UInt32} AND batch <= {batch:UInt64} AND quoted.1 > 0
LIMIT 1
