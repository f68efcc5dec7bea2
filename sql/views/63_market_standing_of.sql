-- The rows of the daily market that stand for their series on each day of a stretch,
-- as batch N sees them: the newest row of the day or of the seven days before, void
-- or not, of every series that is not gone by then (stands_until). stands_on is the
-- day that the row stands for, date its own. An analyst who asks what the market held
-- on a day asks here; what series did on a day is told by the rows of that very day.
--   SELECT * FROM market_standing_of(batch = 7, from = '2025-07-20', to = '2025-07-20')
CREATE OR REPLACE VIEW market_standing_of AS
SELECT
    arrayJoin(arrayMap(n -> greatest(date, toDate({from:Date})) + n,
                       range(toUInt16(least(stands_until, toDate({to:Date})) - greatest(date, toDate({from:Date})) + 1)))) AS stands_on,
    *
FROM market_day_of(batch = {batch:UInt64}, from = toDate({from:Date}) - 7, to = {to:Date})
WHERE stands_until >= {from:Date}
