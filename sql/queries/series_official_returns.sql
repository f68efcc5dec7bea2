-- The returns of 1, 3 and 5 years that the newest comparator of the regulator up to a date states of each series. They
-- are fractions, nominal, in pesos also for series in dollars, and per year if of 3 or 5 years; null where it states none.
--   as_of  the newest comparator up to this date counts
SELECT
    series_id, date AS comparator,
    arrayMap(percent -> toFloat64(toDecimal128(percent, 10) / 100), [nominal_1y, nominal_3y, nominal_5y]) AS returns
FROM series_official_return_as_of(batch = {batch:UInt64}, as_of = {as_of:Date})
ORDER BY series_id
