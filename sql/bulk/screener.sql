-- The series alive at the cutoff.
CREATE OR REPLACE VIEW bulk.screener
(
    series_id                UInt32                           COMMENT 'Id of the series',
    fund_id                  UInt32                           COMMENT 'Id of the fund',
    run                      String                           COMMENT 'RUN of the fund with check digit, as in 9809-4',
    serie                    String                           COMMENT 'Name of the series at the cutoff',
    fund                     String                           COMMENT 'Name of the fund',
    manager                  String                           COMMENT 'Name of the manager',
    category                 LowCardinality(Nullable(String)) COMMENT 'money_market, fixed_income, balanced, equity, structured or other; null while unclassified',
    family                   LowCardinality(Nullable(String)) COMMENT 'Peer group in the newest comparator of the regulator',
    currency                 LowCardinality(Nullable(String)) COMMENT 'Accounting currency: PESOS or DOLAR; null for any other',
    tac                      Nullable(Float64)                COMMENT 'Annual cost rate, fraction: 0.0132 is 1.32 %',
    tac_kind                 LowCardinality(Nullable(String)) COMMENT 'synthetic, stated or computed, of tac; rates of different kinds do not compare',
    tac_date                 Nullable(Date)                   COMMENT 'Month end of tac',
    quota                    Nullable(Float64)                COMMENT 'Value of one quota at quota_date, in currency',
    quota_date               Date                             COMMENT 'Day of the last quote up to the cutoff',
    equity                   Nullable(Float64)                COMMENT 'Equity of the series, full units of currency',
    shareholders             Nullable(UInt32)                 COMMENT 'Number of investors; sums over series are not unique people',
    spheres                  Nullable(UInt8)                  COMMENT 'Rating by the regulator in its newest comparator, 1 to 5, 5 best',
    return_1m                Nullable(Float64)                COMMENT 'Price return of one month in accounting currency, fraction',
    return_3m                Nullable(Float64)                COMMENT 'Price return of three months in accounting currency, fraction',
    return_6m                Nullable(Float64)                COMMENT 'Price return of six months in accounting currency, fraction',
    return_1y                Nullable(Float64)                COMMENT 'Price return of a year in accounting currency, fraction',
    return_ytd               Nullable(Float64)                COMMENT 'Price return of the time since the end of the year before in accounting currency, fraction',
    return_3y_ann            Nullable(Float64)                COMMENT 'Price return of three years, per year in accounting currency, fraction',
    return_5y_ann            Nullable(Float64)                COMMENT 'Price return of five years, per year in accounting currency, fraction',
    return_last_closed_month Nullable(Float64)                COMMENT 'Price return of the last complete month in accounting currency, fraction',
    reason_1m                LowCardinality(Nullable(String)) COMMENT 'Why return_1m is null',
    reason_3m                LowCardinality(Nullable(String)) COMMENT 'Why return_3m is null',
    reason_6m                LowCardinality(Nullable(String)) COMMENT 'Why return_6m is null',
    reason_1y                LowCardinality(Nullable(String)) COMMENT 'Why return_1y is null',
    reason_ytd               LowCardinality(Nullable(String)) COMMENT 'Why return_ytd is null',
    reason_3y_ann            LowCardinality(Nullable(String)) COMMENT 'Why return_3y_ann is null',
    reason_5y_ann            LowCardinality(Nullable(String)) COMMENT 'Why return_5y_ann is null',
    reason_last_closed_month LowCardinality(Nullable(String)) COMMENT 'Why return_last_closed_month is null'
)
AS
SELECT
    alive.series_id AS series_id, alive.fund_id AS fund_id, alive.run AS run, alive.serie AS serie,
    alive.fund AS fund, alive.manager AS manager, alive.category AS category, alive.family_rar AS family,
    alive.currency AS currency, alive.tac AS tac, alive.tac_kind AS tac_kind, alive.tac_date AS tac_date,
    toFloat64(alive.price) AS quota, alive.price_date AS quota_date, toFloat64(alive.equity) AS equity, alive.shareholders AS shareholders,
    alive.spheres AS spheres, alive.return_1m AS return_1m, alive.return_3m AS return_3m, alive.return_6m AS return_6m,
    alive.return_1y AS return_1y, alive.return_ytd AS return_ytd, alive.return_3y_ann AS return_3y_ann, alive.return_5y_ann AS return_5y_ann,
    alive.return_last_closed_month AS return_last_closed_month, alive.reason_1m AS reason_1m, alive.reason_3m AS reason_3m, alive.reason_6m AS reason_6m,
    alive.reason_1y AS reason_1y, alive.reason_ytd AS reason_ytd, alive.reason_3y_ann AS reason_3y_ann, alive.reason_5y_ann AS reason_5y_ann,
    alive.reason_last_closed_month AS reason_last_closed_month
FROM (SELECT * FROM screener WHERE batch = {batch:UInt64}) AS alive
COMMENT 'Series of mutual funds that are alive at the cutoff, with returns and costs. Key: series_id.'
