-- The cartola rows that were corrected or added later, as batch N sees them: for each day the newest
-- build up to N that no failed batch made. batch_later_statement states which rows these are.
--   SELECT series_id, date, statements.known_on, statements.quota FROM batch_later_row(batch = 7)
CREATE OR REPLACE VIEW batch_later_row AS
SELECT * EXCEPT (build)
FROM later_row
WHERE (date, build) IN parts.newest_builds(list: series_day_version)
