-- Publishes a batch: inserts the one row that makes it visible. No row is written if a
-- newer batch was begun meanwhile, or another one was published. Another projector is
-- building then, and this batch may lack facts that the other one has.
INSERT INTO batch
    (batch, batch_id, as_of_date, latest_complete_date, last_quota_date, calculation_date, calculated_at, input_fingerprint,
     method_version, tolerance_days, series_count, total_records, rebuilt_days, rules, noted)
WITH
    (SELECT maxOrNullIf(date, complete) FROM market_completeness WHERE batch = {batch:UInt64}) AS cutoff,
    (
        SELECT lower(hex(SHA256(arrayStringConcat(arraySort(groupArray(
            format('{} {} {}', dataset, sha256, toString(toUnixTimestamp64Milli(revision))))), '\n'))))
        FROM batch_file(batch = {batch:UInt64})
    ) AS fingerprint
SELECT
    {batch:UInt64},
    format('{}-{}-{}', ifNull(formatDateTime(cutoff, '%Y%m%d'), 'none'), toString({plan:UInt64}), substring(fingerprint, 1, 12)),
    cutoff,
    cutoff,
    (SELECT maxOrNull(date) FROM market_completeness WHERE batch = {batch:UInt64}),
    {calculation_date:Date},
    {calculated_at:DateTime64(3, 'UTC')},
    fingerprint,
    'price_return_v1',
    7,
    (SELECT count() FROM screener WHERE batch = {batch:UInt64}),
    -- Some facts are not counted by their natural key: quotas and values of investment funds by
    -- the rows of their days, positions of the newest portfolio, days with a factor, and events
    -- without their revisions.
    (SELECT sum(rows) FROM market_completeness WHERE batch = {batch:UInt64})
        + (SELECT count() FROM batch_fi_day(batch = {batch:UInt64}, series = [], all_series = true))
        + (SELECT count() FROM batch_holding(batch = {batch:UInt64}, runs = [], all_runs = true))
        + (SELECT sum(days) FROM (SELECT uniqExact(date) AS days FROM fact_factor WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64})) GROUP BY run, serie))
        + (SELECT uniqExact(event_id) FROM fact_exchange WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64})))
        + (
            SELECT sum(facts)
            FROM
            (
                SELECT uniqExact(natural_key) AS facts
                FROM merge(currentDatabase(), (SELECT pattern FROM keyed_fact_table))
                WHERE _table NOT IN ('fact_holding', 'fact_factor', 'fact_exchange')
                  AND source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
                GROUP BY _table
            )
        ),
    (SELECT count() FROM series_day_version WHERE build = {batch:UInt64}),
    {rules:String},
    true
FROM system.one
WHERE (SELECT max(batch) FROM batch_attempt) = {batch:UInt64}
  AND (SELECT max(batch) FROM batch) = {previous:UInt64}
  AND (SELECT max(plan) FROM plan_batch) < {plan:UInt64}
