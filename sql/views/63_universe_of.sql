-- The series that market views of the past look at: those alive at the cutoff of
-- batch N (RULES 7: universe current_vigente). A past date seen through it has
-- survivorship bias: funds that closed since are not in it.
--   SELECT count() FROM universe_of(batch = 7)
CREATE OR REPLACE VIEW universe_of AS
SELECT series_id FROM screener WHERE batch = {batch:UInt64}
