-- Months. A closed month is one whose last day is on or before the cutoff. The monthly values of a series
-- are computed once, and copied from batch to batch until a day changes on which they depend. Costs and
-- risk are computed from months, not from days.

CREATE TABLE IF NOT EXISTS series_month_version
(
    batch  UInt64 COMMENT 'Batch',
    month  Date   COMMENT 'Last day of a closed month that this batch computed anew'
)
parts.stored_by_batch(key: month)
COMMENT 'Which months of series_month a batch computed anew; the others are those of the batch before. Holds several batches: read current_series_month';

CREATE TABLE IF NOT EXISTS series_month
(
    batch       UInt64                   COMMENT 'Batch',
    series_id   UInt32                   COMMENT 'Series id (registry)',
    month       Date                     COMMENT 'Last day of the closed month',
    quote_date  Nullable(Date)           COMMENT 'Day of the month-end quote: the last one of the month; null when it is invalid or over 7 days old (RULES 5)',
    equity      Nullable(Decimal(18, 4)) COMMENT 'Patrimonio neto on the last quoted day, at most 7 days old, full units of the series currency',
    growth      Nullable(Float64)        COMMENT 'This month-end quote as a multiple of the one before, accounting currency, factor-adjusted: 1.01 is a return of 1 %; null across a break (RULES 5)',
    peak        Nullable(Float64)        COMMENT 'Highest quote since the month-end quote before, as a multiple of it; null without growth',
    trough      Nullable(Float64)        COMMENT 'Lowest quote since the month-end quote before, as a multiple of it; null without growth',
    drawdown    Nullable(Float64)        COMMENT 'Deepest fall below an earlier quote since the month-end quote before, fraction, 0 or less; null without growth',
    cost_rate   Nullable(Float64)        COMMENT 'Mean of the daily TAC over cost_days, fraction a year (RULES 2); null without any',
    cost_days   UInt8                    COMMENT 'Days of the month with a daily TAC. With fewer than 15 the month has no computed rate (tac_month)'
)
parts.stored_by_batch(key: series_id, month)
COMMENT 'What the daily quotes of each series come to in each closed month. Holds several batches: read current_series_month';

CREATE TABLE IF NOT EXISTS tac_month
(
    batch           UInt64                                   COMMENT 'Batch',
    series_id       UInt32                                   COMMENT 'Series id (registry)',
    month           Date                                     COMMENT 'Month end that the rate is for',
    kind            LowCardinality(String)                   COMMENT 'synthetic: counts the costs of underlying funds; real: does not (RULES 2)',
    source          LowCardinality(String)                   COMMENT 'stated: by a published file; computed: from the daily costs of the cartola. A month may have both',
    tac             Nullable(Float64)                        COMMENT 'Annual cost rate, fraction: 0.0132 is 1.32 %; null where the computed mean is no rate between 0 and 1',
    cost_days       UInt8                                    COMMENT 'Daily values in the mean of a computed rate: a month needs 15, else it has none; 0 when stated',
    investor_class  LowCardinality(Nullable(String))         COMMENT 'Investor class that came with a stated rate: the dated TAC class',
    tac_kind        LowCardinality(String) DEFAULT if(kind = 'synthetic', kind, source) COMMENT 'synthetic: stated, and counts the costs of underlying funds. stated, computed: the source of a rate that does not. Rates of different kinds do not compare',
    decimals        Nullable(UInt8)                          COMMENT 'Decimals that the percentages of the stating file are published with: as many as its finest, at least 2; null when computed. A difference below half of the last is rounding',
    dataset         LowCardinality(String)                   COMMENT 'Of a stated rate, the dataset of the file that states it: tac-comparator or tac-monthly; empty when computed',
    source_sha256   LowCardinality(String)                   COMMENT 'Hash of that raw file, hex; empty when computed',
    source_line     UInt32                                   COMMENT 'Line in that raw file, from 1; 0 when computed',
    revision        Nullable(DateTime64(3, 'UTC'))           COMMENT 'When that file was published, else first seen; null when computed'
)
parts.stored_by_batch(key: series_id, month, kind)
COMMENT 'Cost rates of each series and month, one of each tac_kind. Holds several batches: read current_tac_month';

CREATE TABLE IF NOT EXISTS risk_month
(
    batch                      UInt64                           COMMENT 'Batch',
    series_id                  UInt32                           COMMENT 'Series id (registry)',
    month                      Date                             COMMENT 'Month end of the snapshot',
    volatility_monthly_12m     Nullable(Float64)                COMMENT 'Sample standard deviation of the last 12 monthly returns, fraction, adjusted by the factors that the cartola states; price returns (series_return) are not; null unless all are known',
    volatility_monthly_36m     Nullable(Float64)                COMMENT 'The same of 36',
    volatility_annualized_12m  Nullable(Float64)                COMMENT 'volatility_monthly_12m × √12',
    volatility_annualized_36m  Nullable(Float64)                COMMENT 'volatility_monthly_36m × √12',
    max_drawdown_36m           Nullable(Float64)                COMMENT 'Deepest fall below an earlier daily quote of the 36 months, fraction, 0 or less, adjusted by the factors that the cartola states; price returns (series_return) are not; null unless all 36 monthly returns are known',
    risk_score                 Nullable(UInt8)                  COMMENT '100 times the mean of two percentiles: of volatility_monthly_36m and of the depth of the drawdown, among the series of the month that have both, mutual funds and investment funds each among themselves. The percentile is the mid-rank: the share of series with a smaller value and half of the share of those with the same, itself included (RULES 5)',
    risk_score_series          Nullable(UInt32)                 COMMENT 'Number of series that the score ranks: those of the month and of the same kind, mutual funds or investment funds, that have both figures; null without a score',
    risk_score_of_series       Nullable(UInt32)                 COMMENT 'Number of all series of the kind with a month-end quote; null without a score',
    risk_score_share           Nullable(Float64)                COMMENT 'Share of the equity of all these that the ranked ones hold, fraction: equity on the day of the month-end quote in pesos, dollars at the dólar of the month end or the last one of the 7 days before, what can not be converted as 0; null without a score, or if they have no equity',
    risk_level                 LowCardinality(Nullable(String)) COMMENT 'low below 34, medium below 67, else high; null without a score',
    downside_deviation_36m     Nullable(Float64)                COMMENT 'Root of the mean squared negative monthly return of 36 months × √12, fraction',
    var_95_1m                  Nullable(Float64)                COMMENT '5th percentile of 36 monthly returns, interpolated between neighbours, fraction: negative for a loss',
    beta_36m                   Nullable(Float64)                COMMENT 'Slope against the monthly returns of the own family in the same currency, at least 24 pairs; null without an index',
    tracking_error_36m         Nullable(Float64)                COMMENT 'Sample standard deviation of the difference to those × √12, fraction; null without an index',
    method_version             LowCardinality(String)           COMMENT 'Version of the risk rules'
)
parts.stored_by_batch(key: series_id, month)
COMMENT 'Risk snapshot of each series with a month-end quote, closed months only (RULES 5). Holds several batches: read current_risk_month';
