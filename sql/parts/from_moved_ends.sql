-- The ends of series that were added or removed since the previous batch: those that only one of the two batches has,
-- perhaps stated twice there.
FROM
(
    SELECT series_id, ended_on, by_register, true AS is_new FROM batch_series_end(batch = {batch:UInt64})
    UNION ALL
    SELECT series_id, ended_on, by_register, false FROM batch_series_end(batch = {previous:UInt64})
)
GROUP BY series_id, ended_on, by_register
HAVING min(is_new) = max(is_new)
