-- The returns, families and ratings that the regulator publishes in its comparator, of every
-- date of which there is one.
--   SELECT nominal_1y, real_1y FROM funds.official_returns WHERE series_id = 1161378270 ORDER BY date DESC LIMIT 1
CREATE OR REPLACE VIEW funds.official_returns
(
    series_id       UInt32                           COMMENT 'Id of the series',
    date            Date                             COMMENT 'Date of the comparator',
    family          LowCardinality(Nullable(String)) COMMENT 'Peer group',
    family_display  LowCardinality(Nullable(String)) COMMENT 'Coarser group (familia_visualizador)',
    family_studies  LowCardinality(Nullable(String)) COMMENT 'Coarsest group (familia_estudios)',
    investor_class  LowCardinality(Nullable(String)) COMMENT 'Retail, Alto Patrimonio or APV',
    digital         Bool                             COMMENT 'The regulator marks the series as digital',
    spheres         Nullable(UInt8)                  COMMENT 'Rating of the series within its family and investor class, 1 to 5, 5 best; null where the regulator gave none',
    nominal_1y      Nullable(Float64)                COMMENT 'Nominal return of 1 year, as the regulator states it, fraction',
    real_1y         Nullable(Float64)                COMMENT 'Return of 1 year beyond the growth of the UF, as the regulator states it, fraction',
    nominal_3y      Nullable(Float64)                COMMENT 'Nominal return of 3 years, per year, as the regulator states it, fraction',
    real_3y         Nullable(Float64)                COMMENT 'Return of 3 years, per year beyond the growth of the UF, as the regulator states it, fraction',
    nominal_5y      Nullable(Float64)                COMMENT 'Nominal return of 5 years, per year, as the regulator states it, fraction',
    real_5y         Nullable(Float64)                COMMENT 'Return of 5 years, per year beyond the growth of the UF, as the regulator states it, fraction',
    nominal_10y     Nullable(Float64)                COMMENT 'Nominal return of 10 years, per year, as the regulator states it, fraction',
    real_10y        Nullable(Float64)                COMMENT 'Return of 10 years, per year beyond the growth of the UF, as the regulator states it, fraction'
)
SQL SECURITY DEFINER AS
SELECT
    lines.series_id AS series_id, lines.date AS date,
    nullIf(lines.family_rar, '') AS family, nullIf(lines.family_display, '') AS family_display, nullIf(lines.family_studies, '') AS family_studies,
    nullIf(lines.investor_class, '') AS investor_class, toBool(lines.serie_digital = '1') AS digital, nullIf(lines.spheres, 0) AS spheres,
    toFloat64(toDecimal128(lines.nominal_1y, 10) / 100) AS nominal_1y, toFloat64(toDecimal128(lines.real_1y, 10) / 100) AS real_1y,
    toFloat64(toDecimal128(lines.nominal_3y, 10) / 100) AS nominal_3y, toFloat64(toDecimal128(lines.real_3y, 10) / 100) AS real_3y,
    toFloat64(toDecimal128(lines.nominal_5y, 10) / 100) AS nominal_5y, toFloat64(toDecimal128(lines.real_5y, 10) / 100) AS real_5y,
    toFloat64(toDecimal128(lines.nominal_10y, 10) / 100) AS nominal_10y, toFloat64(toDecimal128(lines.real_10y, 10) / 100) AS real_10y
FROM batch_official_return(batch = {batch:UInt64}) AS lines
COMMENT 'What the comparators of the regulator state of each series: returns, family and rating. Key: series_id, date.'
