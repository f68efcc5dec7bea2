-- Series of mutual funds and of investment funds, alive or closed.
--   SELECT series_id, fund, serie FROM funds.series WHERE run = '9809-4'
CREATE OR REPLACE VIEW funds.series
(
    series_id        UInt32                           COMMENT 'Id of the series; asset_id of the API, but for investment funds, whose asset_id is instrument_id',
    instrument_id    Nullable(UUID)                   COMMENT 'Id in the API of a series of an investment fund; null of a mutual fund',
    fund_id          UInt32                           COMMENT 'Id of the fund',
    manager_id       Nullable(UInt32)                 COMMENT 'Id of the manager; null where no source names one',
    run              String                           COMMENT 'RUN of the fund with check digit, as in 9809-4',
    serie            String                           COMMENT 'Name of the series at the cutoff; UNICA where the source leaves it blank',
    fund             String                           COMMENT 'Name of the fund',
    manager          Nullable(String)                 COMMENT 'Name of the manager',
    vehicle          LowCardinality(String)           COMMENT 'mutual_fund, etf or investment_fund',
    currency         LowCardinality(Nullable(String)) COMMENT 'Accounting currency at the last quote: PESOS or DOLAR; null for any other',
    category         LowCardinality(Nullable(String)) COMMENT 'money_market, fixed_income, balanced, equity, structured or other; null while unclassified, and of investment funds',
    family           LowCardinality(Nullable(String)) COMMENT 'Peer group in the newest comparator of the regulator; null of closed series, which it leaves out: see last_family',
    family_display   LowCardinality(Nullable(String)) COMMENT 'Coarser group of the regulator (familia_visualizador)',
    family_studies   LowCardinality(Nullable(String)) COMMENT 'Coarsest group of the regulator (familia_estudios)',
    last_family      LowCardinality(Nullable(String)) COMMENT 'Peer group in the newest comparator that names one for the series, closed or not; null where none ever did',
    last_category    LowCardinality(Nullable(String)) COMMENT 'Category by the newest file that gives one, closed or not; null where none ever did',
    investor_class   LowCardinality(Nullable(String)) COMMENT 'Retail, Alto Patrimonio or APV in the newest comparator',
    apv              Nullable(Bool)                   COMMENT 'Series for voluntary pension saving, by the association''s sheet; null where it does not say',
    digital          Nullable(Bool)                   COMMENT 'The regulator''s newest comparator that has the series marks it as digital; null where none says so',
    qualified        Nullable(Bool)                   COMMENT 'The association''s newest sheet has it in a category for qualified investors; null where it has none, or one that we do not know',
    tac              Nullable(Float64)                COMMENT 'Newest annual cost rate, fraction: 0.0132 is 1.32 %',
    tac_kind         LowCardinality(Nullable(String)) COMMENT 'synthetic, stated or computed, of tac; rates of different kinds do not compare',
    tac_date         Nullable(Date)                   COMMENT 'Month end of tac',
    spheres          Nullable(UInt8)                  COMMENT 'Rating by the regulator in its newest comparator, 1 to 5, 5 best',
    first_date       Nullable(Date)                   COMMENT 'Day of the first quote',
    last_date        Nullable(Date)                   COMMENT 'Day of the last quote up to the cutoff',
    current          Bool                             COMMENT 'Alive: quoted within 7 days of the cutoff, and neither ended nor exchanged by then'
)
SQL SECURITY DEFINER AS
SELECT
    series.series_id AS series_id, NULL AS instrument_id, series.fund_id AS fund_id, nullIf(funds.manager_id, 0) AS manager_id,
    series.run AS run, series.serie AS serie, funds.name AS fund, nullIf(funds.manager, '') AS manager, funds.vehicle AS vehicle,
    series.currency AS currency, series.category AS category,
    series.family_rar AS family, series.family_display AS family_display, series.family_studies AS family_studies,
    series.last_family AS last_family, series.last_category AS last_category, series.class_dated AS investor_class, series.apv AS apv,
    stated.digital AS digital, stated.qualified AS qualified,
    series.tac AS tac, series.tac_kind AS tac_kind, series.tac_date AS tac_date, series.spheres AS spheres,
    series.first_date AS first_date, series.last_date AS last_date, series.current AS current
FROM (SELECT * FROM series WHERE batch = {batch:UInt64}) AS series
INNER JOIN (SELECT * FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = series.fund_id
LEFT JOIN eligibility_as_of(batch = {batch:UInt64}, as_of = '2149-06-06') AS stated ON stated.series_id = series.series_id
UNION ALL
SELECT
    assumeNotNull(series_id), instrument_id, fund_id, manager_id,
    run, assumeNotNull(serie), fund, manager, vehicle,
    currency, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    first_date, last_date, current
FROM fi_instrument
WHERE batch = {batch:UInt64} AND series_id IS NOT NULL
COMMENT 'Series of mutual funds and of investment funds, alive or closed. Key: series_id.'
