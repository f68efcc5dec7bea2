-- A series of an investment fund by its public id, with the accounting currency of its last
-- value on or before a date. The currency is null if it is neither PESOS nor DOLAR, or if
-- there is no value.
--   instrument_id  public id of the series
SELECT
    registered.id AS series_id, registered.run AS run, registered.serie AS serie, nullIf(latest.currency, '') AS currency
FROM registry AS registered
LEFT JOIN
(
    SELECT series_id, argMax(valued.currency, valued.date) AS last_currency, if(last_currency IN ('PESOS', 'DOLAR'), toString(last_currency), '') AS currency
    FROM batch_fi_day(batch = {batch:UInt64}, series = [], all_series = true) AS valued
    WHERE date <= {as_of:Date} AND valued.currency != ''
      AND series_id IN (SELECT series_id FROM fi_instrument WHERE batch = {batch:UInt64} AND instrument_id = {instrument_id:UUID} AND series_id IS NOT NULL)
    GROUP BY series_id
) AS latest ON latest.series_id = registered.id
WHERE registered.kind = 'fi_series'
  AND registered.id IN (SELECT series_id FROM fi_instrument WHERE batch = {batch:UInt64} AND instrument_id = {instrument_id:UUID} AND series_id IS NOT NULL)
LIMIT 1
