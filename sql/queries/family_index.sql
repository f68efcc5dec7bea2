-- The index of a family in one currency between two days, with the levels as they are
-- stored.
--   batch     number of the batch
--   family    familia_rar, exactly as written
--   currency  PESOS or DOLAR
--   from, to  first and last day
SELECT date, value, change
FROM batch_family_index(batch = {batch:UInt64}, family = {family:String})
WHERE currency = {currency:String} AND date BETWEEN {from:Date} AND {to:Date}
ORDER BY date
