-- Series of mutual funds that are alive at the cutoff, with what they are chosen by.
--   SELECT fund, serie, return_1y, tac FROM funds.screener WHERE category = 'equity' ORDER BY return_1y DESC LIMIT 10
CREATE OR REPLACE VIEW funds.screener
(
    series_id                 UInt32                           COMMENT 'Id of the series',
    fund_id                   UInt32                           COMMENT 'Id of the fund',
    manager_id                Nullable(UInt32)                 COMMENT 'Id of the manager; null where no source names one',
    run                       String                           COMMENT 'RUN of the fund with check digit, as in 9809-4',
    serie                     String                           COMMENT 'Name of the series at the cutoff',
    fund                      String                           COMMENT 'Name of the fund',
    manager                   String                           COMMENT 'Name of the manager',
    category                  LowCardinality(Nullable(String)) COMMENT 'money_market, fixed_income, balanced, equity, structured or other; null while unclassified',
    family                    LowCardinality(Nullable(String)) COMMENT 'Peer group in the newest comparator of the regulator',
    family_display            LowCardinality(Nullable(String)) COMMENT 'Coarser group of the regulator (familia_visualizador)',
    family_studies            LowCardinality(Nullable(String)) COMMENT 'Coarsest group of the regulator (familia_estudios)',
    investor_class            LowCardinality(Nullable(String)) COMMENT 'Retail, Alto Patrimonio or APV in the newest comparator',
    currency                  LowCardinality(Nullable(String)) COMMENT 'Accounting currency: PESOS or DOLAR; null for any other',
    tac                       Nullable(Float64)                COMMENT 'Annual cost rate, fraction: 0.0132 is 1.32 %',
    tac_kind                  LowCardinality(Nullable(String)) COMMENT 'synthetic, stated or computed, of tac; rates of different kinds do not compare',
    tac_date                  Nullable(Date)                   COMMENT 'Month end of tac',
    quota                     Nullable(Float64)                COMMENT 'Value of one quota at quota_date, in currency',
    quota_date                Date                             COMMENT 'Day of the last quote up to the cutoff',
    daily_return              Nullable(Float64)                COMMENT 'Change of the quota since the quote before, fraction, adjusted by the factors that the daily file states',
    month_return              Nullable(Float64)                COMMENT 'Change of the quota since the quote of a month before, fraction, adjusted like daily_return; return_1m is not',
    equity                    Nullable(Float64)                COMMENT 'Equity of the series, full units of currency',
    equity_clp                Nullable(Float64)                COMMENT 'Equity in full pesos; dollars at the official rate of quota_date, or the last one of the 7 days before',
    shareholders              Nullable(UInt64)                 COMMENT 'Number of investors; sums over series are not unique people',
    spheres                   Nullable(UInt8)                  COMMENT 'Rating by the regulator in its newest comparator, 1 to 5, 5 best',
    spheres_reason            LowCardinality(Nullable(String)) COMMENT 'Why there is no rating: source_unavailable, not_in_source or not_rated_by_cmf',
    return_1m                 Nullable(Float64)                COMMENT 'Price return of one month up to the quote of quota_date, in accounting currency, fraction',
    return_3m                 Nullable(Float64)                COMMENT 'Price return of three months up to the quote of quota_date, in accounting currency, fraction',
    return_6m                 Nullable(Float64)                COMMENT 'Price return of six months up to the quote of quota_date, in accounting currency, fraction',
    return_1y                 Nullable(Float64)                COMMENT 'Price return of a year up to the quote of quota_date, in accounting currency, fraction',
    return_ytd                Nullable(Float64)                COMMENT 'Price return of the time since the end of the year before up to the quote of quota_date, in accounting currency, fraction',
    return_3y_ann             Nullable(Float64)                COMMENT 'Price return of three years up to the quote of quota_date, per year, in accounting currency, fraction',
    return_5y_ann             Nullable(Float64)                COMMENT 'Price return of five years up to the quote of quota_date, per year, in accounting currency, fraction',
    return_last_closed_month  Nullable(Float64)                COMMENT 'Price return of the last complete month, up to the newest quote on or before its end, in accounting currency, fraction',
    reason_{window}           LowCardinality(Nullable(String)) COMMENT 'Why return_{window} is null',
    risk_date                 Nullable(Date)                   COMMENT 'Month end of the risk figures; null without any',
    volatility_12m            Nullable(Float64)                COMMENT 'Standard deviation of 12 monthly returns (adjusted_return of monthly) up to risk_date, per year, fraction',
    volatility_36m            Nullable(Float64)                COMMENT 'Standard deviation of 36 monthly returns (adjusted_return of monthly) up to risk_date, per year, fraction',
    max_drawdown_36m          Nullable(Float64)                COMMENT 'Deepest fall below an earlier quote in the 36 months up to risk_date, adjusted like adjusted_return of monthly, fraction, 0 or less',
    risk_score                Nullable(UInt8)                  COMMENT '0 to 100: rank of volatility and drawdown among all series of risk_date',
    risk_level                LowCardinality(Nullable(String)) COMMENT 'low below 34, medium below 67, else high'
)
SQL SECURITY DEFINER AS
SELECT
    rows.series_id AS series_id, rows.fund_id AS fund_id, nullIf(rows.manager_id, 0) AS manager_id,
    rows.run AS run, rows.serie AS serie, rows.fund AS fund, rows.manager AS manager,
    rows.category AS category, rows.family_rar AS family, rows.family_display AS family_display, rows.family_studies AS family_studies,
    rows.class_dated AS investor_class, rows.currency AS currency, rows.tac AS tac, rows.tac_kind AS tac_kind, rows.tac_date AS tac_date,
    toFloat64(rows.price) AS quota, rows.price_date AS quota_date, rows.daily_change / 100 AS daily_return, rows.monthly_change / 100 AS month_return,
    toFloat64(rows.equity) AS equity, toFloat64(cuota_clp(rows.currency, rows.equity, dolar.value)) AS equity_clp, rows.shareholders AS shareholders,
    rows.spheres AS spheres, rows.spheres_reason AS spheres_reason,
    rows.return_{window} AS return_{window},
    rows.reason_{window} AS reason_{window},
    rows.risk_date AS risk_date, rows.volatility_annualized_12m AS volatility_12m, rows.volatility_annualized_36m AS volatility_36m,
    rows.max_drawdown_36m AS max_drawdown_36m, rows.risk_score AS risk_score, rows.risk_level AS risk_level
FROM (SELECT * FROM screener WHERE batch = {batch:UInt64}) AS rows
LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = rows.price_date
SETTINGS join_use_nulls = 0
COMMENT 'Series of mutual funds that are alive at the cutoff, with returns, costs and risk. Key: series_id.'
