-- The damage that was found in the published batch, and the number of the batch. No row if
-- there is no damage.
SELECT batch, toString(table) AS of_table, any(reason) AS why
FROM batch_damage
WHERE batch = (SELECT max(batch) FROM batch)
GROUP BY batch, table
ORDER BY table
