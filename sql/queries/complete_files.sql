-- The files whose facts have all arrived.
SELECT DISTINCT sha256 FROM complete_file ORDER BY sha256
