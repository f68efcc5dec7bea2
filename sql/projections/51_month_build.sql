-- The closed months that this batch computes anew: those that the batch before
-- did not have, and those that a day built by this batch belongs to, or reaches:
-- a month begins with the quote that stands for the month end before, up to 7
-- days before its own first day less one. A curated discontinuity that came or went
-- reaches the months up to the next quote, which is a break by itself where it is
-- more than 31 days away.
INSERT INTO month_build (batch, month)
SELECT DISTINCT {batch:UInt64}, toLastDayOfMonth(date) AS month
FROM day
WHERE batch = {batch:UInt64} AND month <= {as_of:Date}
  AND (month NOT IN (SELECT month FROM series_month WHERE batch = {previous:UInt64})
       OR month IN
       (
           SELECT arrayJoin([toLastDayOfMonth(date), toLastDayOfMonth(date + 8)])
           FROM (SELECT date FROM day_build WHERE build = {batch:UInt64} UNION ALL SELECT date FROM fi_day_build WHERE build = {batch:UInt64})
       )
       OR month IN
       (
           SELECT toLastDayOfMonth(date + arrayJoin(range(32)))
           FROM
           (
               SELECT series_id, date, count() AS batches
               FROM series_break
               WHERE batch IN ({batch:UInt64}, {previous:UInt64}) AND kind = 'curated'
               GROUP BY series_id, date
           )
           WHERE batches = 1
       ))
