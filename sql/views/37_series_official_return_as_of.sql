-- For each series, the line of the regulator's return comparator in force at a date, as
-- batch N sees it. The line may name the series by any of its names.
--   SELECT * FROM series_official_return_as_of(batch = 7, as_of = '2025-12-31') WHERE series_id = 4047362302
CREATE OR REPLACE VIEW series_official_return_as_of AS
SELECT lines.*, series_id
FROM official_return_as_of(batch = {batch:UInt64}, as_of = {as_of:Date}) AS lines
parts.names_of_lines
ORDER BY series_id, date BETWEEN valid_from AND valid_until DESC, position
LIMIT 1 BY series_id
