-- The chained index of each family and currency as batch N sees it (RULES 7): 100 on the
-- first date to which the next one chains, then a point on each index date (55_index_day).
-- change is in percent points since the previous point. It is null at the first point, and
-- at a point that continues the level after more than seven days without a point. series of
-- of_series series of the family, with equity_share of its equity, give the change (RULES 7,
-- coverage). An empty family means all families.
--   SELECT * FROM batch_family_index(batch = 7, family = 'Accionario nacional') WHERE currency = 'PESOS' ORDER BY date
CREATE OR REPLACE VIEW batch_family_index AS
SELECT family_rar, currency, date, assumeNotNull(days.value) AS value, 100 * step AS change, series, of_series, equity_share
FROM index_day AS days
WHERE batch = {batch:UInt64} AND days.value IS NOT NULL
  AND ({family:String} = '' OR family_rar = {family:String})
