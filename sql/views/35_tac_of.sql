-- The current cost rate of each series as batch N sees it, even if it is newer than the
-- cutoff.
--   SELECT * FROM tac_of(batch = 7) WHERE run = 9809
CREATE OR REPLACE VIEW tac_of AS
SELECT * FROM tac_at(batch = {batch:UInt64}, as_of = '2149-06-06')
