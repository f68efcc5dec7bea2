-- The series that market views of the past cover: those alive at the cutoff of batch N
-- (RULES 7: universe current_vigente). A past date seen through it has survivorship bias,
-- because funds that have closed since are missing.
--   SELECT count() FROM batch_universe(batch = 7)
CREATE OR REPLACE VIEW batch_universe AS
SELECT series_id FROM screener WHERE batch = {batch:UInt64}
