-- The points of the index of a family in a currency, in their order.
--   family    familia_rar, as the source writes it
--   currency  PESOS or DOLAR
SELECT date, value
FROM batch_family_index(batch = {batch:UInt64}, family = {family:String})
WHERE family_rar = {family:String} AND currency = {currency:String}
ORDER BY date
