-- The days on which the line of one day stands for its series, with the family and the manager that it counts for.
--   date  the day of the line
SELECT stands_on AS date, toString(ifNull(family_rar, '')) AS family, toString(currency) AS in_currency, manager_rut
FROM batch_market_standing(batch = {batch:UInt64}, from = {date:Date}, to = toDate({date:Date}) + 7) AS standing
WHERE series_id = {series_id:UInt32} AND standing.date = {date:Date} AND price IS NOT NULL
ORDER BY stands_on
