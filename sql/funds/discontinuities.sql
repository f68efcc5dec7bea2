-- Days across which no price return is computed.
--   SELECT date, kind FROM funds.discontinuities WHERE series_id = 1161378270 ORDER BY date
CREATE OR REPLACE VIEW funds.discontinuities
(
    series_id  UInt32                 COMMENT 'Id of the series, of a mutual fund or an investment fund',
    date       Date                   COMMENT 'Later of the two quotes between which the series breaks; of a curated break the first day after it',
    kind       LowCardinality(String) COMMENT 'currency_change; gap (over 31 days); restart (equity 0, then more); adjustment (factor other than 1); unit_change (the rows show another unit of the quota, without a factor); curated (an event says so)',
    evidence   String                 COMMENT 'What shows the break: of unit_change the figures of the two rows, of curated the address of the document; empty for other kinds'
)
SQL SECURITY DEFINER AS
SELECT series_id, date, kind, max(evidence) AS evidence
FROM discontinuity
WHERE batch = {batch:UInt64}
GROUP BY series_id, date, kind
COMMENT 'Days across which no price return is computed. Key: series_id, date, kind.'
