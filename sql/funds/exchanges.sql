-- Exchanges of the quotas of one series for those of another (canjes).
--   SELECT effective_date, factor FROM funds.exchanges WHERE series_id = 1161378270
CREATE OR REPLACE VIEW funds.exchanges
(
    event_id               String           COMMENT 'Lasting name of the event',
    series_id              UInt32           COMMENT 'Id of the series whose quotas are given up',
    destination_series_id  Nullable(UInt32) COMMENT 'Id of the series whose quotas are received; null where no file ever had a quote of it',
    run                    String           COMMENT 'RUN of the fund whose quotas are given up, with check digit',
    serie                  String           COMMENT 'Name of the series whose quotas are given up',
    destination_run        String           COMMENT 'RUN of the fund whose quotas are received, with check digit',
    destination_serie      String           COMMENT 'Name of the series whose quotas are received',
    effective_date         Date             COMMENT 'First day on which the quotas are those of the destination',
    valuation_date         Date             COMMENT 'Day whose quotas the factor was computed from',
    factor                 Float64          COMMENT 'Number of quotas of the destination for one of the origin',
    evidence_url           Nullable(String) COMMENT 'Address of the document that proves the event'
)
SQL SECURITY DEFINER AS
SELECT
    event_id, origin_id AS series_id, nullIf(destination_id, 0) AS destination_series_id,
    cuota_rol(origin_run) AS run, origin_serie AS serie, cuota_rol(events.destination_run) AS destination_run, destination_serie,
    effective_date, valuation_date, toFloat64(events.factor) AS factor, nullIf(events.evidence_url, '') AS evidence_url
FROM batch_exchange(batch = {batch:UInt64}) AS events
COMMENT 'Exchanges of the quotas of one series for those of another. Key: event_id.'
