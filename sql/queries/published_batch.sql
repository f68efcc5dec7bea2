-- The newest batch, or the batch with a public name, with everything that replies say about
-- it. A batch whose rows were dropped has no windows.
--   batch_id  public name; empty: the newest
--   until     without a name: the newest whose moment has come at this time
SELECT
    batch, batch_id, toUInt64OrZero(splitByChar('-', batch_id)[2]) AS plan, as_of_date,
    latest_complete_date, last_quota_date, calculation_date, calculated_at,
    toString(input_fingerprint) AS input_fingerprint, method_version, tolerance_days, series_count, total_records, toString(rules) AS rules,
    batch IN (SELECT batch FROM batch_damage) AS damaged,
    targets.windows AS windows, targets.starts AS target_starts, targets.ends AS target_ends
FROM
(
    SELECT * FROM batch
    WHERE if({batch_id:String} = '', calculated_at <= {until:DateTime64(3, 'UTC')}, batch_id = {batch_id:String})
    ORDER BY batch DESC
    LIMIT 1
) AS published
LEFT JOIN
(
    SELECT batch, groupArray(toString(window)) AS windows, groupArray(target_start) AS starts, groupArray(target_end) AS ends
    FROM window_target
    -- Only these, because a partition is read for each batch that is kept. A batch that is
    -- published while this runs has its rows already.
    WHERE batch >= (SELECT max(batch) FROM batch WHERE calculated_at <= {until:DateTime64(3, 'UTC')}) OR batch IN (SELECT batch FROM batch WHERE batch_id = {batch_id:String})
    GROUP BY batch
) AS targets USING (batch)
