-- The closed months that this batch computes: those that the previous batch did not have,
-- and those that depend on a day which this batch builds. A month also depends on the quote
-- of the previous month end, which may be up to 7 days older than that month end. A curated
-- discontinuity that was added or removed affects the months up to the next quote. If that
-- quote is more than 31 days away, it is a break in any case. Of series_month, only the rows
-- of the previous batch are read.
--
-- before: series_month
INSERT INTO series_month_version (batch, month)
SELECT DISTINCT {batch:UInt64}, toLastDayOfMonth(date) AS month
FROM market_completeness
WHERE batch = {batch:UInt64} AND month <= {as_of:Date}
  AND (month NOT IN (SELECT month FROM series_month WHERE batch = {previous:UInt64})
       OR month IN
       (
           SELECT arrayJoin([toLastDayOfMonth(date), toLastDayOfMonth(date + 8)])
           FROM (SELECT date FROM series_day_version WHERE build = {batch:UInt64} UNION ALL SELECT date FROM fi_day_version WHERE build = {batch:UInt64})
       )
       OR month IN
       (
           SELECT toLastDayOfMonth(date + arrayJoin(range(32)))
           FROM
           (
               SELECT date FROM discontinuity
               WHERE batch IN ({batch:UInt64}, {previous:UInt64}) AND kind = 'curated'
               GROUP BY series_id, date HAVING count() = 1
           )
       ))
