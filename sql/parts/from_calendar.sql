-- Every calendar day from the first to the last one with a row, and the counts of those that have one.
FROM
(
    SELECT arrayJoin(arrayMap(n -> first + n, range(toUInt32(last - first + 1)))) AS date
    FROM (SELECT min(date) AS first, max(date) AS last FROM market_completeness
          WHERE batch = {batch:UInt64} HAVING count() > 0)
) AS days
LEFT JOIN (SELECT * FROM market_completeness WHERE batch = {batch:UInt64}) AS counts ON counts.date = days.date
