-- Rejected rows of the files with this name, or whose hash begins with it, by line.
--   named  name of a file, or at least the first eight digits of a hash
--   all    also rows that are not open
--   most   greatest number of rows
SELECT
    toString(dataset) AS dataset, file, toString(source_sha256) AS sha256, source_line AS line, reason, raw, open, arrived_at AS arrived
FROM rejection
WHERE (file = {named:String} OR length({named:String}) >= 8 AND startsWith(source_sha256, {named:String}))
  AND ({all:Bool} OR open)
ORDER BY arrived DESC, dataset, file, sha256, line
LIMIT {most:UInt32}
