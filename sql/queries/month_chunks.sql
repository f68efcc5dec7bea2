-- The months that a batch computes, in chunks that span at most about a million rows, of
-- computed months or not, so that memory does not grow with the history.
SELECT toString(min(computed.month)) AS first, toString(max(computed.month)) AS last
FROM (SELECT month, batch FROM series_month_version WHERE batch = {batch:UInt64}) AS computed
ASOF LEFT JOIN
(
    SELECT month, {batch:UInt64} AS batch, intDiv(sum(rows_of_month) OVER (ORDER BY month), intDiv(1000000, {finer:UInt32})) AS chunk
    FROM
    (
        SELECT toLastDayOfMonth(date) AS month, count() AS rows_of_month
        FROM (SELECT date FROM series_day UNION ALL SELECT date FROM fi_day)
        GROUP BY month
    )
) AS sized ON sized.batch = computed.batch AND sized.month <= computed.month
GROUP BY chunk
ORDER BY first
