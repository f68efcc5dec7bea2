-- The current cost rate of each series as batch N sees it, even if it is newer than the
-- cutoff.
--   SELECT * FROM batch_tac(batch = 7) WHERE run = 9809
CREATE OR REPLACE VIEW batch_tac AS
SELECT * FROM tac_as_of(batch = {batch:UInt64}, as_of = '2149-06-06')
