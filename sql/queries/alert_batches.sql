-- The batches whose moment has come and that are not damaged, the oldest first, each with its cutoff
-- and the last day of the last month that was over by then. That day is empty for a batch
-- without a cutoff.
SELECT
    batch, batch_id,
    ifNull(toString(as_of_date), '')                          AS as_of,
    if(closed.batch = 0, '', toString(closed.target_end))     AS closed_month
FROM batch
LEFT JOIN (SELECT batch, target_end FROM window_target WHERE window = 'last_closed_month') AS closed USING (batch)
WHERE batch NOT IN (SELECT batch FROM batch_damage) AND parts.moment_has_come(moment: calculated_at)
ORDER BY batch
