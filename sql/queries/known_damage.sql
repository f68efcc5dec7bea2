-- The damage that was found in the published batch, and its number; no row if it is whole.
SELECT batch, toString(table) AS of_table, any(reason) AS why
FROM batch_damage
WHERE batch = (SELECT max(batch) FROM batch)
GROUP BY batch, table
ORDER BY table
