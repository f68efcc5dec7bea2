-- The index of a family, named in any case and without regard to accents, in one
-- currency from a date on; stored levels are kept.
SELECT family_rar, currency, date, value, change
FROM family_index_of(batch = {batch:UInt64}, family = {family:String})
WHERE currency = {currency:String} AND date >= {from:Date}
ORDER BY date
