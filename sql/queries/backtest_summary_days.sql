-- The days of the market that answer for the days, weeks or months of a period, in order (RULES
-- 7). With step day, these are all days that have data. Of each week its Sunday and of each month
-- its last day is asked for: it answers if it has data, complete or not, else the latest complete
-- day before it does. If one day answers for several dates, it comes once, with the first of them.
-- Dates after the cutoff are left out.
--   from, to  first and last date
--   step      day, week or month
WITH
    asked AS
    (
        SELECT toDate({from:Date}) + arrayJoin(range(toUInt32(toDate({to:Date}) - toDate({from:Date}) + 1))) AS asked_on, true AS in_market
        WHERE asked_on <= (SELECT as_of_date FROM batch WHERE batch = {batch:UInt64})
          AND multiIf({step:String} = 'month', asked_on = toLastDayOfMonth(asked_on),
                      {step:String} = 'week',  toDayOfWeek(asked_on) = 7,
                      true)
    ),
    days AS (SELECT date AS day, complete AS is_complete, has_data FROM market_completeness WHERE batch = {batch:UInt64})
SELECT
    if(own_day != toDate(0), own_day, earlier_day)     AS date,
    min(asked_on)                                      AS asked_date,
    any(own_day = toDate(0) OR own_complete)           AS complete
FROM asked
LEFT JOIN (SELECT day AS own_day, is_complete AS own_complete FROM days WHERE has_data) AS own ON own_day = asked_on
ASOF LEFT JOIN (SELECT day AS earlier_day, true AS of_market FROM days WHERE is_complete) AS earlier ON of_market = in_market AND earlier_day <= asked_on
WHERE own_day != toDate(0) OR earlier_day != toDate(0) AND {step:String} != 'day'
GROUP BY date
ORDER BY date
