-- The windows of every series and the market summary of every day, so that a past date is read and not
-- computed. Windows are built by complete days, like series_day. A summary covers the series that are alive
-- at the cutoff, so its rows belong to a batch: a batch computes those on which something changed, and
-- copies the others from the batch before it.

CREATE TABLE IF NOT EXISTS return_day_version
parts.list_of_builds
COMMENT 'Which batch built which day of standing_quote and return_day, superseded ones too. Holds superseded days: read current_standing_quote or current_return_day';

CREATE TABLE IF NOT EXISTS standing_quote
(
    date             Date                     COMMENT 'Day with a quote of any series',
    series_id        UInt32                   COMMENT 'Series id (registry)',
    build            UInt64                   COMMENT 'Batch that built this day',
    quote_date       Date                     COMMENT 'Day of the newest quote of the series on or before date, however old',
    quota            Nullable(Decimal(18, 6)) COMMENT 'Valor cuota of that day in currency; null when the row was rejected, which is an invalid quote (RULES 1)',
    currency         LowCardinality(String)   COMMENT 'Accounting currency of the quote: PESOS, DOLAR, or as written where unknown; empty when the row was rejected',
    stated_currency  LowCardinality(String)   COMMENT 'Currency of the newest quote on or before date that states one'
)
parts.stored_by_year(key: date, series_id, build)
COMMENT 'The newest quote of each series on each day, from which its windows begin and end. Holds superseded days: read current_standing_quote';

CREATE TABLE IF NOT EXISTS return_day
(
    date                      Date                             COMMENT 'End of the windows: a day with a quote of any series',
    series_id                 UInt32                           COMMENT 'Series id (registry)',
    build                     UInt64                           COMMENT 'Batch that built this day',
    effective_end             Date                             COMMENT 'Newest quote on or before date, with which all windows end but the last closed month',
    currency                  LowCardinality(String)           COMMENT 'Currency of that quote and of the returns: PESOS, DOLAR, or empty where unknown',
    stated_currency           LowCardinality(String)           COMMENT 'Currency of the newest quote on or before date that states one: PESOS, DOLAR, or as written where unknown',
    month_effective_end       Nullable(Date)                   COMMENT 'Newest quote on or before the last month end, with which the last closed month ends',
    month_currency            LowCardinality(String)           COMMENT 'Currency of that quote and of return_last_closed_month: PESOS, DOLAR, or empty where unknown',
    return_1m                 Nullable(Float64)                COMMENT 'Price return of one month in accounting currency, fraction (RULES 1)',
    return_3m                 Nullable(Float64)                COMMENT 'The same of three months, fraction',
    return_6m                 Nullable(Float64)                COMMENT 'The same of six months, fraction',
    return_1y                 Nullable(Float64)                COMMENT 'The same of a year, fraction',
    return_ytd                Nullable(Float64)                COMMENT 'The same since the end of the year before, fraction',
    return_3y_ann             Nullable(Float64)                COMMENT 'The same of three years, fraction per year',
    return_5y_ann             Nullable(Float64)                COMMENT 'The same of five years, fraction per year',
    return_last_closed_month  Nullable(Float64)                COMMENT 'The same of the last complete month, fraction',
    reason_1m                 LowCardinality(Nullable(String)) COMMENT 'Why return_1m is null, the first that applies (RULES 1)',
    reason_{window but 1m}    LowCardinality(Nullable(String)) COMMENT 'Why return_{window} is null',
    start_1m                  Nullable(Date)                   COMMENT 'Quote with which return_1m begins: the newest on or before its target date',
    start_{window but 1m}     Nullable(Date)                   COMMENT 'The same of return_{window}',
    PROJECTION by_series
    (
        SELECT
            series_id, date, build, effective_end, currency, month_effective_end, month_currency,
            return_{window},
            reason_{window},
            start_{window}
        ORDER BY series_id, date, build
    ) WITH SETTINGS (index_granularity = 128)
)
parts.stored_by_year(key: date, series_id, build)
SETTINGS index_granularity = 1024, lightweight_mutation_projection_mode = 'rebuild'
COMMENT 'Price returns of every series on every day, from its first quote until 38 days after its newest: later no window has a value. Holds superseded days: read current_return_day';

CREATE TABLE IF NOT EXISTS summary_day_version
(
    batch       UInt64                 COMMENT 'Number of the batch',
    date        Date                   COMMENT 'Day of which the batch computes something',
    whole       Bool                   COMMENT 'True: everything of the day, and family_rar is empty',
    family_rar  LowCardinality(String) COMMENT 'Otherwise the family that is computed; empty: the series without a family'
)
parts.stored_by_batch(key: date, whole, family_rar)
COMMENT 'Which families of which days of summary_family a batch computed anew, and which days of summary_mover: all in this list. The others are those of the batch before. Holds several batches: read current_summary_family or current_summary_mover';

CREATE TABLE IF NOT EXISTS summary_family
(
    batch               UInt64                           COMMENT 'Number of the batch',
    date                Date                             COMMENT 'Day',
    family_rar          LowCardinality(String)           COMMENT 'familia_rar; empty for the series without a family',
    currency            LowCardinality(String)           COMMENT 'Accounting currency: PESOS, DOLAR, or as written where unknown',
    shown               Bool                             COMMENT 'Has a family, and is in PESOS or DOLAR: market-summary shows these rows and counts the others',
    family_display      LowCardinality(Nullable(String)) COMMENT 'familia_visualizador',
    previous_date       Nullable(Date)                   COMMENT 'Day since which daily_return counts, as it was known on the day: opening_date of index_day',
    daily_return        Nullable(Float64)                COMMENT 'Mean daily change of the series that count, weighted by opening equity, fraction; null if they are fewer than three series of two funds, or hold less than half of the equity (RULES 7, coverage)',
    daily_series        UInt32                           COMMENT 'Series that count in daily_return, also where it is null',
    daily_share         Nullable(Float64)                COMMENT 'Their share of equity, fraction; null where equity is 0',
    monthly_return      Nullable(Float64)                COMMENT 'Mean monthly change weighted by equity at its start, fraction; null as daily_return is',
    monthly_series      UInt32                           COMMENT 'Series that count in monthly_return, also where it is null',
    monthly_share       Nullable(Float64)                COMMENT 'Their share of equity, fraction; null where equity is 0',
    equity              Decimal(38, 4)                   COMMENT 'Equity of the rows that stand for its series that day, full units of currency',
    equity_clp          Nullable(Decimal(38, 10))        COMMENT 'The same in CLP at the dólar observado of the day; null if that is not known',
    series              UInt32                           COMMENT 'Series for which a row with a quote stands that day',
    funds               UInt32                           COMMENT 'Their funds',
    family_funds        UInt32                           COMMENT 'Funds of the family in all currencies that are shown; 0 where shown is false',
    unconverted_series  UInt32                           COMMENT 'Of series, those whose equity cannot be converted to CLP',
    newest_previous     Nullable(Date)                   COMMENT 'Newest day before that is the previous quote of a series quoted on the day',
    classified_later    Bool                             COMMENT 'The family of one of its series is known only from a later report'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, date, family_rar, currency)
COMMENT 'Each family in each currency on each day, among the series alive at the cutoff of the batch (RULES 7). family_day has those of all series that existed. Holds several batches: read current_summary_family';

CREATE TABLE IF NOT EXISTS summary_mover
(
    batch           UInt64                           COMMENT 'Number of the batch',
    date            Date                             COMMENT 'Day',
    list            LowCardinality(String)           COMMENT 'gainers_daily, losers_daily, gainers_monthly or losers_monthly',
    place           UInt8                            COMMENT 'Place among the series alive at the cutoff of the batch: 1 for the greatest change of the list, up to 10; 0 if it is not among the ten',
    place_then      UInt8                            COMMENT 'The same among all series that existed on the day',
    series_id       UInt32                           COMMENT 'Series id (registry)',
    fund_id         UInt32                           COMMENT 'Fund id (registry)',
    category        LowCardinality(Nullable(String)) COMMENT 'Category as of the day (RULES 6)',
    family_rar      LowCardinality(Nullable(String)) COMMENT 'familia_rar as of the day',
    currency        LowCardinality(String)           COMMENT 'PESOS or DOLAR',
    price           Nullable(Decimal(18, 6))         COMMENT 'Valor cuota, series currency',
    daily_change    Nullable(Float64)                COMMENT 'Change since the previous quote, percent points; null if not known or an outlier',
    monthly_change  Nullable(Float64)                COMMENT 'Change since one month earlier, percent points; null if not known or an outlier',
    equity          Nullable(Decimal(18, 4))         COMMENT 'Patrimonio neto, full units of the series currency',
    equity_clp      Decimal(38, 10)                  COMMENT 'The same in CLP at the dólar observado of the day: at least 100 million'
)
parts.stored_by_batch(key: date, list, series_id)
COMMENT 'The ten greatest rises and falls of each day, one series for each fund (RULES 7): of the series alive at the cutoff of the batch, and of all that existed on the day. Holds several batches: read current_summary_mover';
