-- The indices of families between two days, with the levels as they are stored, oldest first.
--   family    familia_rar, exactly as written; empty: all families
--   currency  PESOS or DOLAR; empty: both
--   from, to  first and last day
SELECT family_rar, currency, date, value, change, series, of_series, equity_share
FROM batch_family_index(batch = {batch:UInt64}, family = {family:String})
WHERE ({currency:String} = '' OR currency = {currency:String}) AND date BETWEEN {from:Date} AND {to:Date}
ORDER BY family_rar, currency, date
