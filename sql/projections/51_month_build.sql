-- The closed months that this batch computes anew: those that the batch before
-- did not have, and those that a day built by this batch belongs to, or reaches:
-- a month begins with the quote that stands for the month end before, up to 7
-- days before its own first day less one.
INSERT INTO month_build (batch, month)
SELECT DISTINCT {batch:UInt64}, toLastDayOfMonth(date) AS month
FROM day
WHERE batch = {batch:UInt64} AND month <= {as_of:Date}
  AND (month NOT IN (SELECT month FROM series_month WHERE batch = {previous:UInt64})
       OR month IN
       (
           SELECT arrayJoin([toLastDayOfMonth(date), toLastDayOfMonth(date + 8)])
           FROM (SELECT date FROM day_build WHERE build = {batch:UInt64} UNION ALL SELECT date FROM fi_day_build WHERE build = {batch:UInt64})
       ))
