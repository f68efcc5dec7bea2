-- The newest cost rate of each series as batch N sees it, real or synthetic.
--   SELECT * FROM tac_of(batch = 7) WHERE run = 9809
CREATE OR REPLACE VIEW tac_of AS
SELECT *
FROM fact_tac
WHERE source_sha256 IN (SELECT sha256 FROM source_of(batch = {batch:UInt64}))
ORDER BY run, serie, date DESC, kind, revision DESC, source_sha256 DESC, source_line DESC
LIMIT 1 BY run, serie
