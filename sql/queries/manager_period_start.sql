-- The day with which a period of managers begins (RULES 8): the last complete day on or before its first date, at most 7
-- days older. null: there is none.
--   date    the day on which the period ends
--   period  month: one calendar month; year: from 31 December of the year before; 12m: twelve calendar months
WITH
    multiIf({period:String} = 'month', subtractMonths(toDate({date:Date}), 1),
            {period:String} = 'year', toStartOfYear(toDate({date:Date})) - 1,
            subtractMonths(toDate({date:Date}), 12)) AS target
SELECT maxOrNullIf(date, complete) AS start
FROM market_completeness
WHERE batch = {batch:UInt64} AND date BETWEEN target - 7 AND target
