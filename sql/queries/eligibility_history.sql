-- For whom each series is, as it was stated. It has one row for each series. Its lines are one text of the format
-- RowBinary, in the order of days: the day from which the line counts; apv, digital and qualified, all nullable.
SELECT series_id, groupConcat(line) AS lines
FROM
(
    SELECT series_id, formatRow('RowBinary', valid_from, apv, digital, qualified) AS line
    FROM eligibility
    WHERE batch = {batch:UInt64}
    ORDER BY series_id, valid_from
)
GROUP BY series_id
