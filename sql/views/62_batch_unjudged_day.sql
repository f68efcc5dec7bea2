-- The days of which batch N computes again how completely the market has reported them: those from
-- the first day on which a row, a dólar or an end of a series differs from the batch before it.
-- What is complete depends on the days before, so later days may differ too.
--   SELECT min(date) FROM batch_unjudged_day(batch = 7, previous = 6)
CREATE OR REPLACE VIEW batch_unjudged_day AS
WITH changed AS
(
    SELECT date AS changed_on FROM series_day_version WHERE build = {batch:UInt64}
    UNION ALL
    SELECT date
    FROM
    (
        SELECT date, value FROM batch_dolar(batch = {batch:UInt64})
        UNION ALL
        SELECT date, value FROM batch_dolar(batch = {previous:UInt64})
    )
    GROUP BY date HAVING count() = 1 OR min(value) != max(value)
    UNION ALL
    SELECT ended_on
    FROM
    (
        SELECT series_id, ended_on, by_register, true AS is_new FROM batch_series_end(batch = {batch:UInt64})
        UNION ALL
        SELECT series_id, ended_on, by_register, false FROM batch_series_end(batch = {previous:UInt64})
    )
    GROUP BY series_id, ended_on, by_register
    HAVING min(is_new) = max(is_new) -- only in one of the two batches, perhaps stated twice there
)
SELECT DISTINCT date
FROM series_day_version
WHERE build <= {batch:UInt64} AND (build = {batch:UInt64} OR build NOT IN (SELECT batch FROM batch_failure))
  AND date >= (SELECT minOrNull(changed_on) FROM changed)
