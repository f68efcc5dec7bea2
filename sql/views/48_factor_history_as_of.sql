-- The verified factors of series in the 61 months up to a date, as batch N sees them (RULES
-- 1). There is one row for each requested series, and for each series to which its
-- exchanges may lead, if it has any factors. The lists name only unusual days, so that a
-- window is judged by the days inside it. If all_series is set, every series is requested.
--   SELECT * FROM factor_history_as_of(batch = 7, series = [4047362302], all_series = false, until = '2024-02-29')
--
-- first_date and last_date are the first and the last day with a line. gaps lists pairs of
-- days with a line and none in between. defects lists the days whose line gives no return,
-- each with the reason. factors lists the days on which the quota is multiplied, with the
-- product of distribution and adjustment, in a type wide enough for a split of any size.
-- adjusted lists the days whose line states a factor de ajuste other than 1.
-- evidence lists runs of days that one document proves, each with its first and last day.
-- For each day the newest file counts, with every line that it has of the day: two lines
-- state a day twice. A line under any name of a renamed series applies to the series. If
-- several of its names have a line, the name that was valid on the day counts.
CREATE OR REPLACE VIEW factor_history_as_of AS
WITH
    wanted AS
    (
        SELECT arrayJoin({series:Array(UInt32)}) AS id
        UNION ALL
        SELECT destination_id FROM continuation
        WHERE batch = {batch:UInt64} AND series_id IN {series:Array(UInt32)}
    ),
    labels AS
    (
        SELECT series_id, run, serie, position, valid_from, valid_until
        FROM batch_series_name(batch = {batch:UInt64})
        WHERE {all_series:Bool} OR series_id IN wanted
    ),
    quotes AS
    (
        SELECT
            series_id, date, quota, currency,
            anyLastIf(quota, ifNull(quota > 0, false)) OVER (PARTITION BY series_id ORDER BY date ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS previous_quota
        FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true)
        WHERE date > subtractMonths({until:Date}, 62) AND date <= {until:Date}
          AND ({all_series:Bool} OR series_id IN wanted)
    ),
    factors AS
    (
        SELECT DISTINCT
            series_id, position, run, serie, date, source_line, distribution_factor, adjustment_factor, quota, currency, evidence_url, evidence_sha256
        FROM
        (
            SELECT
                *,
                dense_rank() OVER (PARTITION BY series_id, date
                                   ORDER BY date BETWEEN valid_from AND valid_until DESC, position, revision DESC, source_sha256 DESC) AS place
            FROM fact_factor
            INNER JOIN labels USING (run, serie)
            WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
              AND date > subtractMonths({until:Date}, 61) AND date <= {until:Date}
              AND ({all_series:Bool} OR (run, serie) IN (SELECT run, serie FROM labels))
        )
        WHERE place = 1
    ),
    lines AS
    (
        SELECT
            factors.series_id AS series_id, factors.run AS run, factors.serie AS serie, factors.position AS position, factors.date AS date,
            factors.distribution_factor AS distribution, factors.adjustment_factor AS adjustment,
            factors.evidence_url AS evidence_url, factors.evidence_sha256 AS evidence_sha256,
            factors.currency = quotes.currency AS currency_equal,
            ifNull(quotes.quota > 0 AND abs(toFloat64(factors.quota) / toFloat64(quotes.quota) - 1) <= 1e-9, 0) AS quote_equal,
            cuota_factors_believed(quotes.quota, adjustment, 1, previous_quota)   AS adjustment_supported,
            cuota_factors_believed(quotes.quota, 1, distribution, previous_quota) AS distribution_valid,
            lagInFrame(date, 1, toDate(0)) OVER before     AS previous_date,
            lagInFrame(evidence_sha256, 1, '') OVER before AS previous_evidence
        FROM factors
        LEFT JOIN quotes ON quotes.series_id = factors.series_id AND quotes.date = factors.date
        WINDOW before AS (PARTITION BY factors.series_id ORDER BY factors.date, factors.source_line ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
    )
SELECT
    series_id,
    cuota_rol(any(run)) AS rol,
    argMin(serie, position) AS serie_name,
    min(date)           AS first_date,
    max(date)           AS last_date,
    groupArrayIf((previous_date, date), previous_date != toDate(0) AND date - previous_date > 1) AS gaps,
    arrayConcat(
        groupArrayIf((date, 'factor_quote_mismatch'), NOT quote_equal),
        groupArrayIf((date, 'factor_currency_mismatch'), NOT currency_equal),
        groupArrayIf((date, 'invalid_distribution_factor'), NOT distribution_valid),
        groupArrayIf((date, 'unsupported_adjustment'), NOT adjustment_supported),
        groupArrayIf((date, 'duplicate_factor_date'), date = previous_date)) AS defects,
    arraySort(groupArrayIf((date, toDecimal128(distribution, 9) * adjustment, evidence_url, evidence_sha256), distribution != 1 OR adjustment != 1)) AS factors,
    groupUniqArrayIf(date, adjustment != 1) AS adjusted,
    arraySort(groupArrayIf((date, previous_date, evidence_sha256), evidence_sha256 != previous_evidence)) AS runs,
    -- A run ends on the last day with a line before the next run.
    arrayMap((run, end) -> (run.1, end, run.3), runs, arrayPushBack(arrayMap(next -> next.2, arrayPopFront(runs)), last_date)) AS evidence
FROM lines
GROUP BY series_id
SETTINGS join_use_nulls = 0
