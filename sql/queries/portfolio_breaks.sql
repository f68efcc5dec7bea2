-- The days of a period from which on earlier quotas of some series do not compare, with the reason as returns have it
-- (RULES 1), and the days on which a series states a distribution (reason distribution).
--   from, to  first and last day
SELECT series_id, date, reason
FROM
(
    SELECT series_id, date, if(kind = 'currency_change', 'currency_change', 'known_discontinuity') AS reason
    FROM discontinuity
    WHERE batch = {batch:UInt64} AND series_id IN {series:Array(UInt32)} AND date BETWEEN {from:Date} AND {to:Date}
    UNION DISTINCT
    SELECT series_id, date, 'distribution'
    FROM batch_series_day(batch = {batch:UInt64}, series = {series:Array(UInt32)}, all_series = false)
    WHERE date BETWEEN {from:Date} AND {to:Date} AND distribution_factor != 1
)
ORDER BY series_id, date, reason
