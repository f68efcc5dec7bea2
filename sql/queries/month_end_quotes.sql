-- The days of the quotes that stand for the month ends which a figure of risk follows from, in their order: the end of the
-- month before the first one, and the end of each month (RULES 5). quote_date is null where no quote stands for it.
--   month   the last month end
--   months  how many monthly returns the figure is of
SELECT ends.month AS month, quoted.quote_date AS quote_date
FROM (SELECT toLastDayOfMonth(subtractMonths({month:Date}, arrayJoin(range({months:UInt8} + 1)))) AS month) AS ends
LEFT JOIN
(
    SELECT month, quote_date FROM series_month WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32}
) AS quoted ON quoted.month = ends.month
ORDER BY month
SETTINGS join_use_nulls = 0
