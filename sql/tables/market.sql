-- The daily market has one row for each series and day, with its changes and how they compare with those
-- of its peers. It is the base of all-funds, market-summary, family indices and rankings, and is rebuilt
-- by complete days like series_day: market_day_version lists which batch built which day.

CREATE TABLE IF NOT EXISTS classification
(
    batch           UInt64                           COMMENT 'Batch',
    series_id       UInt32                           COMMENT 'Series id (registry)',
    source          LowCardinality(String)           COMMENT 'comparator: families of the regulator; sheet: category of the association',
    valid_from      Date                             COMMENT 'First day on which the statement counts; it holds until the next one of its source',
    stated_on       Date                             COMMENT 'Date of the file that made the statement first',
    family_rar      LowCardinality(Nullable(String)) COMMENT 'familia_rar: the peer group; null from the sheet',
    family_display  LowCardinality(Nullable(String)) COMMENT 'familia_visualizador; null from the sheet',
    category        LowCardinality(Nullable(String)) COMMENT 'Category by that statement (RULES 6); null while unclassified'
)
parts.stored_by_batch(key: series_id, source, valid_from)
COMMENT 'What each series was classified as, and since when. Days before the first statement have the first one, with valid_from 1970-01-02 (RULES 7). Holds several batches: read current_classification';

CREATE TABLE IF NOT EXISTS eligibility
(
    batch       UInt64         COMMENT 'Batch',
    series_id   UInt32         COMMENT 'Series id (registry)',
    valid_from  Date           COMMENT 'Date of the file that first stated this; it holds until the next row. Before the first row nothing is known',
    apv         Nullable(Bool) COMMENT 'The association\'s newest sheet about the series by then has it for voluntary pension saving; null where none says so',
    digital     Nullable(Bool) COMMENT 'The regulator\'s newest comparator by then that has the series, of returns or else of costs, marks it as digital; null where none says so',
    qualified   Nullable(Bool) COMMENT 'The association\'s newest sheet by then has it in a category for qualified investors; null where it has none, or one that we do not know'
)
parts.stored_by_batch(key: series_id, valid_from)
COMMENT 'For whom each series is, besides its investor class, and since when (RULES 7). Holds several batches: read current_eligibility';

CREATE TABLE IF NOT EXISTS market_day_version
parts.list_of_builds
COMMENT 'Which batch built which day of market_day, candidate_day, family_day and manager_day, superseded ones too. Holds superseded days: read current_market_day, current_candidate_day, current_family_day or current_manager_day, which take the newest build of each day';

CREATE TABLE IF NOT EXISTS market_day
(
    date              Date                             COMMENT 'Day of the quote',
    series_id         UInt32                           COMMENT 'Series id (registry)',
    stands_until      Date DEFAULT date                COMMENT 'Last day on which the row stands for its series: that before the next row, before the fund ended or before its quotas were exchanged, and at most 7 days after its own',
    build             UInt64                           COMMENT 'Batch that built this day',
    manager_rut       UInt32                           COMMENT 'RUT of the manager that reported the day, without check digit; 0 when void',
    currency          LowCardinality(String)           COMMENT 'Accounting currency: PESOS, DOLAR, or as written where unknown; of a void row that of the quote before, at most 31 days older, else empty',
    price             Nullable(Decimal(18, 6))         COMMENT 'Valor cuota, series currency; null when void',
    equity            Nullable(Decimal(18, 4))         COMMENT 'Patrimonio neto, full units of the series currency',
    shareholders      Nullable(UInt32)                 COMMENT 'Partícipes',
    flow              Nullable(Float64)                COMMENT 'Net contribution that the row of the day states, quotas contributed less redeemed at the quota of the day, full units of the series currency: on the eve of days without business it is one half (business_flow)',
    previous_date     Nullable(Date)                   COMMENT 'Quote before, at most 7 days older; void rows are passed over (RULES 7)',
    previous_equity   Nullable(Decimal(18, 4))         COMMENT 'Equity on previous_date, full units: the opening equity of the day',
    daily_change      Nullable(Float64)                COMMENT 'Percent points from previous_date, adjusted by the factors that the cartola states; price returns (series_return) are not; null across a break (RULES 7)',
    month_date        Nullable(Date)                   COMMENT 'Last quote at one month earlier or at most 7 days before; void rows are passed over (RULES 7)',
    month_equity      Nullable(Decimal(18, 4))         COMMENT 'Equity on month_date, full units: the opening equity of the month',
    monthly_change    Nullable(Float64)                COMMENT 'Percent points from month_date, adjusted by the factors that the cartola states; price returns (series_return) are not; null across a break (RULES 7)',
    family_rar        LowCardinality(Nullable(String)) COMMENT 'familia_rar as of the day',
    family_display    LowCardinality(Nullable(String)) COMMENT 'familia_visualizador as of the day',
    category          LowCardinality(Nullable(String)) COMMENT 'Category as of the day (RULES 6)',
    classified_later  Bool                             COMMENT 'True: no classification is as old as the day; the first later one stands in (RULES 7)',
    restated Array(Tuple(
        since Date,
        family_rar String,
        family_display String,
        category String,
        classified_later Bool)) COMMENT 'Classifications that come into force while the row stands on later days, by the first of these days: family_rar, family_display and category, empty where they are not known, and classified_later from that day on. Nearly always empty',
    daily_outlier     LowCardinality(String)           COMMENT 'Why the daily change stays out of indices and rankings: cap or peers; empty when it does not (RULES 7)',
    monthly_outlier   LowCardinality(String)           COMMENT 'The same for the monthly change',
    spike             Bool                             COMMENT 'spikes or unspikes: the daily change stays out of index history (RULES 7)',
    spikes            Bool                             COMMENT 'The quote is a spike: a daily move of over 10 % of which at least 80 % came back with the next quote',
    unspikes          Bool                             COMMENT 'The quote before is a spike, from which this one comes back',
    business_flow     Nullable(Float64)                COMMENT 'Net contribution of the business day that begins on this day, full units of the series currency; null: none begins, or it is not complete',
    business_until    Nullable(Date)                   COMMENT 'Last calendar day of that business day; null where business_flow is',
    flow_reason       LowCardinality(String)           COMMENT 'Why business_flow is null: incomplete_business_day, or not_a_business_day where it is part of the one before; empty where it is known',
    PROJECTION by_series
    (
        SELECT
            series_id, date, build, currency, price, equity, shareholders, business_flow, business_until,
            flow_reason, previous_date, daily_change, daily_outlier, spike, month_date, monthly_change,
            monthly_outlier, family_rar, category, classified_later
        ORDER BY series_id, date, build
    ) WITH SETTINGS (index_granularity = 128)
)
parts.stored_by_year(key: date, series_id, build)
SETTINGS index_granularity = 1024, lightweight_mutation_projection_mode = 'rebuild'
COMMENT 'One row per series and day: price, changes, equity, flows, classification, outliers. Holds superseded days: read current_market_day';

CREATE TABLE IF NOT EXISTS family_day
(
    date             Date                             COMMENT 'Day',
    family_rar       LowCardinality(String)           COMMENT 'familia_rar',
    currency         LowCardinality(String)           COMMENT 'PESOS or DOLAR',
    build            UInt64                           COMMENT 'Batch that built this day',
    family_display   LowCardinality(Nullable(String)) COMMENT 'familia_visualizador',
    previous_date    Nullable(Date)                   COMMENT 'Last day before on which the family was quoted in the currency, at most 7 days earlier; it need not be an index date (index_day). Null where none of its series is quoted that day',
    daily_return     Nullable(Float64)                COMMENT 'Mean change since previous_date of the eligible series, weighted by equity on previous_date, fraction; null if they are fewer than three series of two funds, or hold less than half of the equity (RULES 7, coverage)',
    eligible_series  UInt32                           COMMENT 'Series whose change since previous_date is known and no outlier, also where daily_return is null',
    eligible_share   Nullable(Float64)                COMMENT 'Their share of equity, fraction; null where equity is 0',
    chained_return   Nullable(Float64)                COMMENT 'daily_return without one-day spikes: the step of the index where it chains to previous_date, fraction; null as daily_return is',
    chained_series   UInt32                           COMMENT 'Of the eligible series those without a spike',
    chained_share    Nullable(Float64)                COMMENT 'Their share of equity, fraction; null where equity is 0',
    monthly_return   Nullable(Float64)                COMMENT 'Mean monthly change weighted by equity at its start, fraction; null as daily_return is',
    monthly_series   UInt32                           COMMENT 'Series whose monthly change is known and no outlier, also where monthly_return is null',
    monthly_share    Nullable(Float64)                COMMENT 'Their share of equity, fraction; null where equity is 0',
    equity           Decimal(38, 4)                   COMMENT 'Equity of the rows that stand for its series that day, full units of currency',
    series           UInt32                           COMMENT 'Series for which a row with a quote stands that day, also those in no mean. Over all families and both currencies they are the classified series but those in any other currency',
    funds            UInt32                           COMMENT 'Their funds',
    quoted           UInt32 DEFAULT series            COMMENT 'Of the series, those with a quote on the very day'
)
ENGINE = MergeTree
PARTITION BY toYear(date)
ORDER BY (date, family_rar, currency, build)
COMMENT 'Each family in each currency on each day. Holds superseded days: read current_family_day';

CREATE TABLE IF NOT EXISTS family_long_step
(
    date           Date                   COMMENT 'Day to which the step leads',
    family_rar     LowCardinality(String) COMMENT 'familia_rar',
    currency       LowCardinality(String) COMMENT 'PESOS or DOLAR',
    build          UInt64                 COMMENT 'Batch that built this day',
    previous_date  Date                   COMMENT 'Day from which the step leads, at most 7 days earlier',
    changes Array(Tuple(
        series_id UInt32,
        equity Float64,
        change Float64,
        run UInt32,
        held Decimal(38, 4),
        spike Bool)) COMMENT 'Series that count, which are enough to speak for the family (RULES 7, coverage): equity on previous_date in full units of currency, change since then as a fraction, RUN without check digit, equity on the day, whether the quote of either day is a spike, which the index leaves out'
)
ENGINE = MergeTree
PARTITION BY toYear(date)
ORDER BY (date, family_rar, currency, previous_date, build)
COMMENT 'Steps of families over days between, where the next day on which the family was quoted gave its index no point. Most days have none (RULES 7). Holds superseded days: read current_family_long_step';

CREATE TABLE IF NOT EXISTS index_day
(
    batch          UInt64                 COMMENT 'Batch',
    family_rar     LowCardinality(String) COMMENT 'familia_rar',
    currency       LowCardinality(String) COMMENT 'PESOS or DOLAR',
    date           Date                   COMMENT 'Day on which the family was quoted in the currency',
    opening_date   Nullable(Date)         COMMENT 'Day since which market-summary counts the change of this day: the previous index date as it was known on this day, when no spike of it could be; null where no series counts',
    previous_date  Nullable(Date)         COMMENT 'Previous index date, at most 7 days earlier; null on the base of 100, where the level carries on after a longer gap, and on a day that is no index date',
    step           Nullable(Float64)      COMMENT 'Change of the index since previous_date, fraction; null where that is',
    value          Nullable(Float64)      COMMENT 'Level of the index, 100 on its base; null on a day that is no index date',
    series         UInt32                 COMMENT 'Series that give the step; 0 where it is null',
    of_series      UInt32                 COMMENT 'Series of the family for which a row with a quote stands that day',
    equity_share   Nullable(Float64)      COMMENT 'Share of their equity that those of series hold, fraction; null where step is'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, family_rar, currency, date)
COMMENT 'Indices of families by day, and which days are index dates (RULES 7). Holds several batches: read current_index_day';

CREATE TABLE IF NOT EXISTS manager_day
(
    date          Date                   COMMENT 'Day',
    manager_rut   UInt32                 COMMENT 'RUT of the manager, without check digit',
    currency      LowCardinality(String) COMMENT 'Accounting currency of the series',
    build         UInt64                 COMMENT 'Batch that built this day',
    equity        Decimal(38, 4)         COMMENT 'Equity of the rows that stand for its series that day, in that currency, full units of it',
    shareholders  UInt64                 COMMENT 'Partícipes, summed over series: not unique people',
    series        UInt32                 COMMENT 'Series for which a row with a quote stands that day',
    runs          Array(UInt32)          COMMENT 'RUNs of their funds, without check digit, ascending'
)
parts.stored_by_year(key: date, manager_rut, currency, build)
COMMENT 'Each manager in each currency on each day. Holds superseded days: read current_manager_day';

CREATE TABLE IF NOT EXISTS flow_day
(
    date           Date                          COMMENT 'Day with a quote of any series',
    build          UInt64                        COMMENT 'Batch that built this day',
    series         UInt32                        COMMENT 'Series quoted on the day, also those that have closed since',
    daily_known    UInt32                        COMMENT 'Of these, those whose net contribution of the newest business day is known from rows up to the day',
    monthly_known  UInt32                        COMMENT 'Of these, those whose net contributions are known for every quote since one month earlier',
    opening        Array(LowCardinality(String)) COMMENT 'Currencies of which a business day begins on the day: most series with a flow have contributions',
    closing        Array(LowCardinality(String)) COMMENT 'Currencies of which a business day may end on the day: most series with a flow have redemptions'
)
parts.stored_by_year(key: date, build)
COMMENT 'For how many series the net contributions of each day are known. Holds superseded days: read current_flow_day';

CREATE TABLE IF NOT EXISTS candidate_day
(
    date         Date          COMMENT 'Day with a row of any series',
    build        UInt64        COMMENT 'Batch that built this day',
    series_ids   Array(UInt32) COMMENT 'Series with a row that stands on the day, alive or closed, by ascending id (registry)',
    void_ids     Array(UInt32) COMMENT 'Those of them whose row is void: it was rejected, so it has no quote',
    dollar_ids   Array(UInt32) COMMENT 'Those of them in DOLAR',
    unknown_ids  Array(UInt32) COMMENT 'Those of them whose currency is neither PESOS nor DOLAR',
    earlier Array(Tuple(
        series_id UInt32,
        date Date)) COMMENT 'Those of them whose row is of an earlier day, with that day, at most 7 days before'
)
ENGINE = MergeTree
ORDER BY (date, build)
SETTINGS index_granularity = 8
COMMENT 'The series with a row that stands on each day, void or not, as lists, from which backtests take their candidates (docs/backtests.md, section 3). Holds superseded days: read current_candidate_day';
