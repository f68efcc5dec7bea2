-- Distributions of series of mutual funds: what the daily file states, and what was verified.
--   SELECT date, distribution_factor FROM funds.distributions WHERE series_id = 1161378270 AND source = 'cartola' ORDER BY date
CREATE OR REPLACE VIEW funds.distributions
(
    series_id            UInt32                           COMMENT 'Id of the series',
    date                 Date                             COMMENT 'Day of the distribution',
    source               LowCardinality(String)           COMMENT 'cartola: the daily file; verified: the curated factors from which total returns are computed. One distribution may have both',
    distribution_factor  Float64                          COMMENT 'Factor: (quota + payment) / quota',
    currency             LowCardinality(Nullable(String)) COMMENT 'Currency of quota: PESOS, DOLAR, or as written where unknown',
    quota                Nullable(Float64)                COMMENT 'Value of one quota after the payment, in currency',
    payment              Nullable(Float64)                COMMENT 'Payment for one quota, in currency: (distribution_factor - 1) times quota',
    accepted             Bool                             COMMENT 'The factor is from 1 to 1.5; any other is a break, across which nothing is computed',
    evidence_url         Nullable(String)                 COMMENT 'Address of the document that proves a verified factor'
)
SQL SECURITY DEFINER AS
SELECT
    series_id, date, source, toFloat64(factor) AS distribution_factor, nullIf(stated_currency, '') AS currency, toFloat64(value) AS quota,
    (toFloat64(factor) - 1) * toFloat64(value) AS payment, toBool(factor BETWEEN 1 AND 1.5) AS accepted, evidence_url
FROM
(
    SELECT series_id, date, 'cartola' AS source, assumeNotNull(distribution_factor) AS factor, currency AS stated_currency, quota AS value, NULL AS evidence_url
    FROM series_day
    WHERE distribution_factor != 1
      AND (date, build) IN parts.newest_builds(list: series_day_version)
    UNION ALL
    SELECT series_id, date, 'verified', verified_factor, currency, quota, url
    FROM
    (
        SELECT
            labels.series_id AS series_id, facts.date AS date, facts.distribution_factor AS verified_factor, facts.currency AS currency,
            facts.quota AS quota, nullIf(facts.evidence_url, '') AS url
        parts.from_verified_factors
    )
    WHERE verified_factor != 1
)
COMMENT 'Distributions of series of mutual funds. Key: series_id, date, source.'
