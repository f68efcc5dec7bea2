-- The days between which a series fell most from one month end to another: the day of the highest quote, and that of the
-- lowest one after it (RULES 5). Quotes are multiplied by the factors that the cartola states, which are all believed,
-- because no month has a break. Of several such falls it is the first. There is no row if no quote is below an earlier one.
--   after, until  days of the quotes that stand for the month ends
WITH
    quotes AS
    (
        SELECT date, toFloat64(assumeNotNull(quota)) * exp(sum(log(factor)) OVER (ORDER BY date ROWS UNBOUNDED PRECEDING)) AS level
        FROM
        (
            SELECT date, quota, toFloat64(ifNull(adjustment_factor, 1)) * toFloat64(ifNull(distribution_factor, 1)) AS factor
            FROM batch_series_day(batch = {batch:UInt64}, series = [{series_id:UInt32}], all_series = false)
        )
        WHERE quota > 0 AND date BETWEEN {after:Date} AND {until:Date}
    )
SELECT peak_on, date AS lowest_on
FROM
(
    SELECT
        date, level / max(level) OVER so_far - 1 AS fall,
        argMax(date, (level, -toInt32(date))) OVER so_far AS peak_on
    FROM quotes
    WINDOW so_far AS (ORDER BY date ROWS UNBOUNDED PRECEDING)
)
WHERE fall < 0
ORDER BY fall, date
LIMIT 1
