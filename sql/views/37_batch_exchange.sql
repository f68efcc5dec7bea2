-- The curated exchanges of the quotas of one series for those of another, as batch N sees
-- them: the highest revision of each event. destination_id is 0 if no file ever had a quote
-- of the destination. Any name of a renamed series means the series.
--   SELECT * FROM batch_exchange(batch = 7)
CREATE OR REPLACE VIEW batch_exchange AS
SELECT
    event_id, event_revision, origin.series_id AS origin_id, destination.series_id AS destination_id,
    events.origin_run AS origin_run, events.origin_serie AS origin_serie,
    events.destination_run AS destination_run, events.destination_serie AS destination_serie,
    effective_date, valuation_date, factor, evidence_url, evidence_sha256
FROM
(
    SELECT *
    FROM fact_exchange
    WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
    ORDER BY event_id, event_revision DESC, revision DESC, source_sha256 DESC, source_line DESC
    LIMIT 1 BY event_id
) AS events
INNER JOIN (SELECT series_id, run, serie FROM batch_series_name(batch = {batch:UInt64})) AS origin
    ON origin.run = events.origin_run AND origin.serie = events.origin_serie
LEFT JOIN (SELECT series_id, run, serie FROM batch_series_name(batch = {batch:UInt64})) AS destination
    ON destination.run = events.destination_run AND destination.serie = events.destination_serie
SETTINGS join_use_nulls = 0
