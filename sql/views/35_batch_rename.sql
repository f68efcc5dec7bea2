-- The current statement about each name that a series gave up, as batch N sees it. A row
-- with the same series as old and new name withdraws an earlier rename. series_rename says
-- whether a rename is applied, and if not, why.
--   SELECT * FROM batch_rename(batch = 7) WHERE run = 9809
CREATE OR REPLACE VIEW batch_rename AS
SELECT run, previous_serie, current_serie, first_current_date
FROM
(parts.newest_facts(table: fact_rename; key: run, previous_serie))
WHERE previous_serie != current_serie
