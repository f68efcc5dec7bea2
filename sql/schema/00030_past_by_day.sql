-- +goose Up

-- The market summary of every day, so that a past date is read and not computed. It covers the
-- series that are alive at the cutoff, so its rows belong to a batch: a batch computes those on
-- which something changed, and copies the others from the batch before it.

CREATE TABLE IF NOT EXISTS summary_day_version
(
    batch       UInt64                  COMMENT 'Number of the batch',
    date        Date                    COMMENT 'Day of which the batch computes something',
    whole       Bool                    COMMENT 'True: everything of the day, and family_rar is empty',
    family_rar  LowCardinality(String)  COMMENT 'Otherwise the family that is computed; empty: the series without a family'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, date, whole, family_rar)
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
    daily_return        Nullable(Float64)                COMMENT 'Mean daily change of the series that count, weighted by opening equity, fraction; null without any (RULES 7)',
    monthly_return      Nullable(Float64)                COMMENT 'Mean monthly change weighted by equity at its start, fraction; null without any',
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
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, date, list, series_id)
COMMENT 'The ten greatest rises and falls of each day, one series for each fund (RULES 7): of the series alive at the cutoff of the batch, and of all that existed on the day. Holds several batches: read current_summary_mover';

CREATE TABLE IF NOT EXISTS flow_day
(
    date            Date    COMMENT 'Day with a quote of any series',
    build           UInt64  COMMENT 'Batch that built this day',
    series          UInt32  COMMENT 'Series quoted on the day, also those that have closed since',
    daily_known     UInt32  COMMENT 'Of these, those whose net contribution of the day is known',
    monthly_known   UInt32  COMMENT 'Of these, those whose net contributions are known for every quote since one month earlier'
)
ENGINE = MergeTree
PARTITION BY toYear(date)
ORDER BY (date, build)
COMMENT 'For how many series the net contributions of each day are known. Holds superseded days: read current_flow_day';

-- What a backtest needs of the whole history, so that the first one does not search all quotes for it.

CREATE TABLE IF NOT EXISTS later_row
(
    date          Date    COMMENT 'Day of the row',
    series_id     UInt32  COMMENT 'Series id (registry)',
    build         UInt64  COMMENT 'Batch that built this day',
    loaded_later  Bool    COMMENT 'The first statement was published more than 62 days after the day, so nobody knows when it was seen first',
    statements    Array(Tuple(known_on Date, said UInt64, sound Bool, quota Nullable(Decimal(18, 6)), currency String, equity Nullable(Decimal(18, 4))))
                  COMMENT 'What was stated of the row, a correction after what it corrects: the day on which it was known, a hash of all that it states, whether its quota is above 0, the quota and equity in currency (full units)'
)
ENGINE = MergeTree
PARTITION BY toYear(date)
ORDER BY (date, series_id, build)
COMMENT 'The cartola rows that a later file corrected, or added to a day that another file had stated. Holds superseded days: read current_later_row';

CREATE TABLE IF NOT EXISTS series_step
(
    batch      UInt64   COMMENT 'Number of the batch',
    series_id  UInt32   COMMENT 'Series id (registry)',
    date       Date     COMMENT 'Day of a quote',
    broken     Bool     COMMENT 'The series breaks before this quote: nothing before it compares with it',
    factor     Float64  COMMENT 'Otherwise what one quota of the quote before has become: adjustment times distribution factor'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, series_id, date)
COMMENT 'What happens to the series of mutual funds between quotes, for whoever holds them (docs/backtests.md, section 4). Holds several batches: read current_series_step';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
