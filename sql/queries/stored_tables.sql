-- The tables whose parts an inspection reads. A replicated table mends its parts by itself,
-- from other replicas, which would lose them too if they were detached here.
SELECT DISTINCT table
FROM system.parts
WHERE database = currentDatabase() AND active AND NOT startsWith(engine, 'Replicated')
ORDER BY table
