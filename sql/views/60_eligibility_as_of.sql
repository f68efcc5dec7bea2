-- For whom each series was at a date, by what was stated up to it, as batch N sees it. A series of which nothing was
-- stated has no row.
--   SELECT * FROM eligibility_as_of(batch = 7, as_of = '2025-12-31') WHERE series_id = 4047362302
CREATE OR REPLACE VIEW eligibility_as_of AS
SELECT series_id, apv, digital, qualified
FROM eligibility
WHERE batch = {batch:UInt64} AND valid_from <= {as_of:Date}
ORDER BY series_id, valid_from DESC
LIMIT 1 BY series_id
