-- The tables whose parts an inspection reads. Replicated tables are left out: they repair
-- their parts from other replicas, which would lose a part too if it were detached here.
SELECT DISTINCT table
FROM system.parts
WHERE database = currentDatabase() AND active AND NOT startsWith(engine, 'Replicated')
ORDER BY table
