-- Files with rejected rows, the newest arrivals first: how many rows there are, how many of
-- them are open, and the first open reason.
--   named  name of a file, or at least the first eight digits of a hash; empty: every file
--   all    also files without open rows
--   most   greatest number of files
SELECT
    toString(dataset) AS dataset, file, toString(source_sha256) AS sha256, countIf(open) AS open_rows, count() AS rejected_rows,
    if(open_rows > 0, argMinIf(reason, source_line, open), argMin(reason, source_line)) AS first_reason,
    if(open_rows > 0, minIf(source_line, open), min(source_line)) AS first_line,
    max(arrived_at) AS arrived
FROM rejection
WHERE {named:String} = '' OR file = {named:String} OR length({named:String}) >= 8 AND startsWith(source_sha256, {named:String})
GROUP BY dataset, file, source_sha256
HAVING {all:Bool} OR open_rows > 0
ORDER BY arrived DESC, dataset, file DESC, sha256
LIMIT {most:UInt32}
