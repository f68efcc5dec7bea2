-- The day of a batch whose data are shown for each of some dates (RULES 7 and 8): the
-- date itself if it has data, else the latest complete day before it. Dates that no day
-- answers for have no row.
--   dates  the dates
WITH days AS (SELECT date, has_data, complete, 1 AS one FROM market_completeness WHERE batch = {batch:UInt64})
SELECT asked, if(own.date != toDate(0), own.date, before.date) AS day
FROM (SELECT DISTINCT arrayJoin({dates:Array(Date)}) AS asked, 1 AS one) AS wanted
LEFT JOIN (SELECT date FROM days WHERE has_data) AS own ON own.date = wanted.asked
ASOF LEFT JOIN (SELECT date, one FROM days WHERE complete) AS before ON before.one = wanted.one AND before.date <= wanted.asked
WHERE day != toDate(0)
ORDER BY asked
