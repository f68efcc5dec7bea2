-- The files in published batches that lack facts, of those whose number of facts no batch has
-- noted, because its notes were lost. What their manifests count must have arrived.
WITH arrived AS (SELECT sha256, keys FROM arrived_keys(state = 'unnoted'))
SELECT DISTINCT files.dataset AS dataset, files.sha256 AS sha256
FROM (SELECT dataset, sha256, keys FROM file_state WHERE state = 'unnoted') AS files
LEFT JOIN arrived ON arrived.sha256 = files.sha256
WHERE arrived.keys < files.keys
ORDER BY dataset, sha256
SETTINGS join_use_nulls = 0
