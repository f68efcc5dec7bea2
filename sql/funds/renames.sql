-- Renames of series that files state, and whether they are applied.
--   SELECT run, previous_serie, current_serie FROM funds.renames WHERE applied
CREATE OR REPLACE VIEW funds.renames
(
    run                 String                           COMMENT 'RUN of the fund with check digit',
    previous_serie      LowCardinality(String)           COMMENT 'Name that the series gave up',
    current_serie       LowCardinality(String)           COMMENT 'Name that the series took',
    first_current_date  Date                             COMMENT 'First day under the new name',
    applied             Bool                             COMMENT 'Both names are one series',
    reason              LowCardinality(Nullable(String)) COMMENT 'Why it is not applied: several_previous, cycle, chain_too_long, dates_out_of_order, unknown_series or both_quoted; null where it is',
    series_id           Nullable(UInt32)                 COMMENT 'Id of the series that has or had the old name; null where it was never quoted'
)
SQL SECURITY DEFINER AS
SELECT
    cuota_rol(stated.run) AS run, stated.previous_serie AS previous_serie, stated.current_serie AS current_serie, stated.first_current_date AS first_current_date,
    toBool(stated.reason = '') AS applied, nullIf(stated.reason, '') AS reason, nullIf(names.series_id, 0) AS series_id
FROM (SELECT * FROM series_rename WHERE batch = {batch:UInt64}) AS stated
LEFT JOIN batch_series_name(batch = {batch:UInt64}) AS names ON names.run = stated.run AND names.serie = stated.previous_serie
SETTINGS join_use_nulls = 0
COMMENT 'Renames of series that files state, and whether they are applied. Key: run, previous_serie.'
