-- The line of each series in every comparator of the regulator, as batch N sees it, with
-- corrections applied. A line may name the series by any of its names; the name that was valid on
-- the date of the comparator counts first.
--   SELECT date, nominal_1y FROM batch_official_return(batch = 7) WHERE series_id = 4047362302
CREATE OR REPLACE VIEW batch_official_return AS
SELECT lines.*, series_id
FROM
(parts.newest_facts(table: fact_official_return; key: run, serie, date)) AS lines
parts.names_of_lines
ORDER BY series_id, date, date BETWEEN valid_from AND valid_until DESC, position
LIMIT 1 BY series_id, date
