-- For each day between {from} and {to} that this batch builds: for how many series the net
-- contributions are known (batch_known_flow), and of which currencies a business day begins or
-- may end on it (batch_flow_direction).
--
-- chunks: market_chunks
INSERT INTO flow_day (date, build, series, daily_known, monthly_known, opening, closing)
SELECT date, {batch:UInt64}, series, daily, monthly, opening, closing
FROM batch_known_flow(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}) AS known
LEFT JOIN
(
    SELECT date AS directed, arraySort(groupArrayIf(currency, opens)) AS opening, arraySort(groupArrayIf(currency, closes)) AS closing
    FROM batch_flow_direction(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date})
    GROUP BY date
) AS directions ON directed = known.date
WHERE date IN (SELECT date FROM market_day_version WHERE build = {batch:UInt64})
SETTINGS join_use_nulls = 0
