-- The files whose facts have all arrived.
SELECT DISTINCT sha256 FROM source ORDER BY sha256
