-- What happened to some series, the newest first: renames and exchanges, distributions and changes of
-- the quota's unit, and days across which no return is computed.
--   all_series  every series
-- kind is rename, exchange_out (its quotas became those of another series), exchange_in,
-- distribution and unit (as the daily file states them), verified (a distribution of the curated
-- file), or a kind of table discontinuity. other_ columns name the other series. factor is the
-- number of quotas of the destination for one of the origin, or the stated factor. reason says why a
-- rename is not applied, or which figures show a change of unit.
WITH labels AS
(
    SELECT series_id, run, serie, position, valid_from, valid_until
    FROM batch_series_name(batch = {batch:UInt64})
    WHERE {all_series:Bool} OR series_id IN {series:Array(UInt32)}
)
SELECT series_id, kind, date, other_run, other_serie, other_id, factor, payment, applied, reason, evidence_url
FROM
(
    SELECT DISTINCT
        labels.series_id AS series_id, 'rename' AS kind, first_current_date AS date, cuota_rol(renames.run) AS other_run,
        concat(previous_serie, ' → ', current_serie) AS other_serie,
        toNullable(toUInt32(0)) AS other_id, NULL::Nullable(Float64) AS factor, NULL::Nullable(Float64) AS payment,
        toBool(renames.reason = '') AS applied, toString(renames.reason) AS reason, '' AS evidence_url
    FROM (SELECT * FROM series_rename WHERE batch = {batch:UInt64}) AS renames
    INNER JOIN labels ON labels.run = renames.run
    WHERE labels.serie IN (previous_serie, current_serie)
    UNION ALL
    SELECT
        side.1, side.2, effective_date, cuota_rol(side.3), toString(side.4), side.5, toFloat64(events.factor), NULL, true, '', events.evidence_url
    FROM batch_exchange(batch = {batch:UInt64}) AS events
    ARRAY JOIN [(origin_id, 'exchange_out', destination_run, destination_serie, destination_id),
                (if(destination_id = origin_id, 0, destination_id), 'exchange_in', origin_run, origin_serie, origin_id)] AS side
    WHERE side.1 != 0 AND ({all_series:Bool} OR side.1 IN {series:Array(UInt32)})
    UNION ALL
    SELECT
        series_id, stated.1, date, '', '', 0, toFloat64(stated.2), stated.1 = 'distribution' ? (toFloat64(stated.2) - 1) * toFloat64(quota) : NULL,
        true, '', ''
    FROM
    (
        SELECT series_id, date, quota, distribution_factor, adjustment_factor
        FROM series_day
        WHERE ({all_series:Bool} OR series_id IN {series:Array(UInt32)}) AND (distribution_factor != 1 OR adjustment_factor != 1)
          AND (date, build) IN parts.newest_builds(list: series_day_version)
    )
    ARRAY JOIN [('distribution', distribution_factor), ('unit', adjustment_factor)] AS stated
    WHERE stated.2 != 1
    UNION ALL
    SELECT series_id, 'verified', date, '', '', 0, toFloat64(paid), (toFloat64(paid) - 1) * toFloat64(quota), true, '', url
    FROM
    (
        SELECT labels.series_id AS series_id, date, distribution_factor AS paid, quota, facts.evidence_url AS url
        FROM fact_factor AS facts
        INNER JOIN labels ON labels.run = facts.run AND labels.serie = facts.serie
        WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
          AND ({all_series:Bool} OR (facts.run, facts.serie) IN (SELECT run, serie FROM labels))
        -- The line that counts on a day, as in factor_history_as_of.
        ORDER BY series_id, date, date BETWEEN valid_from AND valid_until DESC, position, revision DESC, source_sha256 DESC, source_line DESC
        LIMIT 1 BY series_id, date
    )
    WHERE paid != 1
    UNION ALL
    SELECT series_id, toString(breaks.kind), date, '', '', 0, NULL, NULL, true, breaks.kind = 'unit_change' ? breaks.evidence : '', ''
    FROM discontinuity AS breaks
    WHERE batch = {batch:UInt64} AND ({all_series:Bool} OR series_id IN {series:Array(UInt32)}) AND breaks.kind != 'adjustment'
)
ORDER BY series_id, date DESC, kind, other_run, other_serie
