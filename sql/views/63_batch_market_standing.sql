-- For each series and day, the row of the daily market that counts on the day, as batch N
-- sees it: the newest row of the day or of the seven days before, void or not, unless the
-- series has ended by then (stands_until). stands_on is the day on which the row counts,
-- and date is the row's own day. Sums of what is held on a day (equity, shareholders, series,
-- funds) read this view. Changes and flows of a day read only the rows of the day itself.
--   SELECT * FROM batch_market_standing(batch = 7, from = '2025-07-20', to = '2025-07-20')
CREATE OR REPLACE VIEW batch_market_standing AS
SELECT
    arrayJoin(arrayMap(n -> greatest(date, toDate({from:Date})) + n,
                       range(toUInt16(least(stands_until, toDate({to:Date})) - greatest(date, toDate({from:Date})) + 1)))) AS stands_on,
    *
FROM batch_market_day(batch = {batch:UInt64}, from = toDate({from:Date}) - 7, to = {to:Date})
WHERE stands_until >= {from:Date}
