-- The months whose risk a batch computes, from the first to the last one, in chunks of about 200,000 rows
-- of series_month, besides the 35 months before each chunk. So memory does not grow with the history. No
-- row if it computes none.
WITH (SELECT (min(month), max(month)) FROM batch_recomputed_risk_month(batch = {batch:UInt64}, previous = {previous:UInt64}, as_of = {as_of:Date})) AS reached
SELECT toString(min(month)) AS first, toString(max(month)) AS last
FROM
(
    SELECT month, intDiv(sum(rows_of_month) OVER (ORDER BY month) - 1, intDiv(200000, {finer:UInt32})) AS chunk
    FROM (SELECT month, count() AS rows_of_month FROM series_month WHERE batch = {batch:UInt64} AND month BETWEEN reached.1 AND reached.2 GROUP BY month)
)
GROUP BY chunk
ORDER BY first
