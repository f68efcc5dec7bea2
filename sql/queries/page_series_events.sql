-- What happened to a series up to a date, the newest first: renames and exchanges, distributions
-- and changes of the quota's unit, and days across which no return is computed.
--   batch      number of the batch
--   series_id  id of the series
--   run        RUN of its fund without check digit
--   names      the names of the series, the newest first
--   valid_from, valid_until  first and last day of each name
--   as_of      the date
--   limit      greatest number of rows
-- kind is rename, exchange_out (its quotas became those of another series), exchange_in,
-- distribution and unit (as the daily file states them), verified (a distribution of the curated
-- file), or a kind of table discontinuity. other_ columns name the other series. factor is the
-- number of quotas of the destination for one of the origin, or the stated factor.
SELECT kind, date, other_run, other_serie, other_id, factor, payment, applied, reason, evidence_url
FROM
(
    SELECT
        'rename' AS kind, first_current_date AS date, cuota_rol(run) AS other_run, concat(previous_serie, ' → ', current_serie) AS other_serie,
        toNullable(toUInt32(0)) AS other_id, NULL::Nullable(Float64) AS factor, NULL::Nullable(Float64) AS payment,
        toBool(reason = '') AS applied, toString(series_rename.reason) AS reason, '' AS evidence_url
    FROM series_rename
    WHERE batch = {batch:UInt64} AND run = {run:UInt32} AND (previous_serie IN {names:Array(String)} OR current_serie IN {names:Array(String)})
    UNION ALL
    SELECT
        origin_id = {series_id:UInt32} ? 'exchange_out' : 'exchange_in', effective_date,
        cuota_rol(origin_id = {series_id:UInt32} ? destination_run : origin_run),
        toString(origin_id = {series_id:UInt32} ? destination_serie : origin_serie),
        origin_id = {series_id:UInt32} ? destination_id : origin_id,
        toFloat64(events.factor), NULL, true, '', events.evidence_url
    FROM batch_exchange(batch = {batch:UInt64}) AS events
    WHERE origin_id = {series_id:UInt32} OR destination_id = {series_id:UInt32}
    UNION ALL
    SELECT
        stated.1, date, '', '', 0, toFloat64(stated.2), stated.1 = 'distribution' ? (toFloat64(stated.2) - 1) * toFloat64(quota) : NULL,
        true, '', ''
    FROM series_day
    ARRAY JOIN [('distribution', distribution_factor), ('unit', adjustment_factor)] AS stated
    WHERE series_id = {series_id:UInt32} AND stated.2 != 1
      AND (date, build) IN (SELECT date, max(build) FROM series_day_version WHERE build <= {batch:UInt64} AND (build = {batch:UInt64} OR build NOT IN (SELECT batch FROM batch_failure)) GROUP BY date)
    UNION ALL
    SELECT 'verified', date, '', '', 0, toFloat64(paid), (toFloat64(paid) - 1) * toFloat64(quota), true, '', url
    FROM
    (
        SELECT date, distribution_factor AS paid, quota, facts.evidence_url AS url
        FROM fact_factor AS facts
        WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64})) AND run = {run:UInt32} AND serie IN {names:Array(String)}
        -- The line that counts on a day, as in factor_history_as_of.
        ORDER BY date, date BETWEEN {valid_from:Array(Date)}[indexOf({names:Array(String)}, serie)]
                                AND {valid_until:Array(Date)}[indexOf({names:Array(String)}, serie)] DESC,
                 indexOf({names:Array(String)}, serie), revision DESC, source_sha256 DESC, source_line DESC
        LIMIT 1 BY date
    )
    WHERE paid != 1
    UNION ALL
    SELECT toString(breaks.kind), date, '', '', 0, NULL, NULL, true, '', ''
    FROM discontinuity AS breaks
    WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32} AND breaks.kind != 'adjustment'
)
WHERE date <= {as_of:Date}
ORDER BY date DESC, kind, other_run, other_serie
LIMIT {limit:UInt32}
