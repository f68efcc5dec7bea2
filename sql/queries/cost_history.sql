-- The cost rates of each series of mutual funds as they came into force. It has one row for each
-- series. Its rates are one text of the format RowBinary, in the order of days: the day from which the rate is in
-- force; its month; the rate; tac_kind; and the investor class that came with it, nullable.
--   batch  number of the batch
SELECT series_id, groupConcat(line) AS lines
FROM
(
    SELECT series_id, formatRow('RowBinary', valid_from, month, tac, toString(tac_kind), CAST(investor_class, 'Nullable(String)')) AS line
    FROM batch_tac_in_force(batch = {batch:UInt64})
    WHERE series_id IN (SELECT series_id FROM batch_universe(batch = {batch:UInt64}))
    ORDER BY series_id, valid_from
)
GROUP BY series_id
