-- The names by which a search finds the instruments of investment funds that the list has.
SELECT instrument_id, fund, run, ifNull(serie, '') AS serie
FROM fi_instrument
WHERE batch = {batch:UInt64} AND listed
ORDER BY instrument_id
