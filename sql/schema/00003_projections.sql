-- +goose Up

-- Batches. A batch is published by its row in the table batch, which is written last. So if
-- N is a published batch, all rows of batch N are complete.

CREATE TABLE IF NOT EXISTS batch_attempt
(
    batch       UInt64               COMMENT 'Number of the batch, published or not; never used twice',
    started_at  DateTime64(3, 'UTC') COMMENT 'When building began'
)
ENGINE = MergeTree
ORDER BY batch
COMMENT 'Every batch that was begun';

CREATE TABLE IF NOT EXISTS batch_new_file
(
    batch     UInt64                 COMMENT 'First batch that the file is part of; it stays part of all later ones',
    dataset   LowCardinality(String) COMMENT 'Dataset of the file',
    sha256    String                 COMMENT 'Hash of the raw file, hex',
    revision  DateTime64(3, 'UTC')   COMMENT 'When the source was published, else first seen'
)
ENGINE = MergeTree
ORDER BY (batch, dataset, sha256)
COMMENT 'Which files a batch is made of: those of its own number and of all before';

CREATE TABLE IF NOT EXISTS batch
(
    batch                 UInt64                 COMMENT 'Number of the batch',
    batch_id              String                 COMMENT 'Public name of the batch: cutoff, number, start of the fingerprint',
    as_of_date            Nullable(Date)         COMMENT 'Cutoff: the latest complete date; null while no date is complete',
    latest_complete_date  Nullable(Date)         COMMENT 'Latest date on which the market was complete (RULES 1)',
    last_quota_date       Nullable(Date)         COMMENT 'Latest date with any quota value',
    calculation_date      Date                   COMMENT 'Santiago day on which the batch was built',
    calculated_at         DateTime64(3, 'UTC')   COMMENT 'When the batch was built',
    input_fingerprint     FixedString(64)        COMMENT 'sha256 over the files of the batch and their revisions, hex',
    method_version        LowCardinality(String) COMMENT 'Version of the return rules',
    tolerance_days        UInt8                  COMMENT 'Oldest quote that stands for a target date, calendar days',
    series_count          UInt32                 COMMENT 'Rows of the screener: series alive at the cutoff',
    total_records         UInt64                 COMMENT 'Facts of all datasets in the batch, corrections resolved',
    rebuilt_days          UInt32                 COMMENT 'Days of series_day that this batch built anew'
)
ENGINE = MergeTree
ORDER BY batch
COMMENT 'Published batches. The highest number is the current one';

CREATE TABLE IF NOT EXISTS batch_failure
(
    batch      UInt64               COMMENT 'Number of the batch that was not published',
    failed_at  DateTime64(3, 'UTC') COMMENT 'When it was given up',
    reason     String               COMMENT 'The statement that failed, or the checks that the batch did not pass'
)
ENGINE = MergeTree
ORDER BY batch
COMMENT 'Batches that were begun and not published, and why';

CREATE TABLE IF NOT EXISTS retired_batch
(
    batch  UInt64 COMMENT 'Number of a batch whose rows were dropped'
)
ENGINE = MergeTree
ORDER BY batch
COMMENT 'Batches too old to be asked for';

CREATE TABLE IF NOT EXISTS command_done
(
    id       String               COMMENT 'Id of the command, as it stood in the control topic',
    batch    UInt64               COMMENT 'Batch that it led to',
    done_at  DateTime64(3, 'UTC') COMMENT 'When that batch was published'
)
ENGINE = MergeTree
ORDER BY id
COMMENT 'Commands to build that were carried out, so that a redelivered one is not carried out twice';

CREATE TABLE IF NOT EXISTS registry
(
    kind     LowCardinality(String) COMMENT 'manager, fund or series: ids are unique inside a kind',
    id       UInt32                 COMMENT 'CRC-32 of the key, or of key#1, key#2 … where that was taken (RULES 12)',
    key      String                 COMMENT 'agf:RUT, fund:RUN or series:RUN:SERIE, with check digits',
    run      UInt32                 COMMENT 'RUN of the fund or series, RUT of the manager, without check digit; 0 for a manager known by name alone',
    serie    String                 COMMENT 'Series name; empty for funds, normalised name for managers without RUT',
    batch    UInt64                 COMMENT 'Batch that first needed the id'
)
ENGINE = MergeTree
ORDER BY (kind, id)
COMMENT 'Every id ever given out. Ids are never reused';

-- The daily projection. A day is always rebuilt completely. Its rows carry the batch that
-- built them, and a reader of batch N takes the newest build up to N.

CREATE TABLE IF NOT EXISTS series_day_version
(
    date   Date   COMMENT 'Day whose rows were built',
    build  UInt64 COMMENT 'Batch that built them'
)
ENGINE = MergeTree
ORDER BY (date, build)
COMMENT 'Which batch built which day of series_day';

CREATE TABLE IF NOT EXISTS series_day
(
    series_id            UInt32                   COMMENT 'Series id (registry)',
    date                 Date                     COMMENT 'Day of the quota value',
    build                UInt64                   COMMENT 'Batch that built this day',
    quota                Nullable(Decimal(18, 6)) COMMENT 'Valor cuota in currency; null when the row was rejected, which is an invalid quote (RULES 1)',
    currency             LowCardinality(String)   COMMENT 'Accounting currency: PESOS, DOLAR, or as written where unknown',
    equity               Nullable(Decimal(18, 4)) COMMENT 'Patrimonio neto of the series, full units of currency',
    shareholders         Nullable(UInt32)         COMMENT 'Partícipes',
    manager_rut          UInt32                   COMMENT 'RUT of the manager that reported the day, without check digit; 0 when void',
    units_outstanding    Nullable(Decimal(18, 4)) COMMENT 'Cuotas en circulación, in quotas',
    units_contributed    Nullable(Decimal(18, 4)) COMMENT 'Cuotas aportadas that day, in quotas',
    units_redeemed       Nullable(Decimal(18, 4)) COMMENT 'Cuotas rescatadas that day, in quotas',
    costs                Nullable(Decimal(18, 4)) COMMENT 'Fixed and variable fee, affected and unaffected expenses of the day, in currency (RULES 2)',
    adjustment_factor    Nullable(Decimal(18, 9)) COMMENT 'Factor de ajuste; null: none stated, 1',
    distribution_factor  Nullable(Decimal(18, 9)) COMMENT 'Factor de reparto; null: none stated, 1'
)
ENGINE = MergeTree
PARTITION BY toYear(date)
ORDER BY (series_id, date, build)
SETTINGS index_granularity = 1024
COMMENT 'One row per series and day, corrections resolved';

CREATE TABLE IF NOT EXISTS discontinuity
(
    batch      UInt64                 COMMENT 'Batch',
    series_id  UInt32                 COMMENT 'Series id (registry)',
    date       Date                   COMMENT 'Later of the two quotes between which the series breaks',
    kind       LowCardinality(String) COMMENT 'currency_change; or a known discontinuity: gap (over 31 days), restart (equity 0, then more), adjustment (factor de ajuste not 1)'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, series_id, date)
COMMENT 'Days across which a price return would be meaningless (RULES 1)';

CREATE TABLE IF NOT EXISTS market_completeness
(
    batch               UInt64  COMMENT 'Batch',
    date                Date    COMMENT 'Day with at least one quote',
    rows                UInt32  COMMENT 'Series with a row that day, void ones included',
    series              UInt32  COMMENT 'Of these, with a quote',
    prior_series        UInt32  COMMENT 'Series with a row in the seven days before, or in the seven days up to the last day with any',
    present_series      UInt32  COMMENT 'Of these, with a quote that day',
    prior_equity_clp    Decimal(38, 4) COMMENT 'Equity of the prior series at their last quote before the day, CLP; dollars at the dólar observado of at most 7 days before; others left out',
    present_equity_clp  Decimal(38, 4) COMMENT 'Of this, held by the present series, CLP',
    complete            Bool    COMMENT 'present is at least 98 % of prior series and 99 % of their equity; the very first day is (RULES 1)'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, date)
COMMENT 'How complete the market is on each day';

-- Small projections, which are written completely for each batch.

CREATE TABLE IF NOT EXISTS manager
(
    batch             UInt64           COMMENT 'Batch',
    manager_id        UInt32           COMMENT 'Manager id (registry)',
    rut               Nullable(String) COMMENT 'RUT with check digit; null where only the name is known',
    name              String           COMMENT 'Most recent name, upper case as the source, spaces collapsed',
    mutual_funds      UInt32           COMMENT 'Mutual funds in the register, open or closed',
    investment_funds  UInt32           COMMENT 'Investment funds in the register',
    etfs              UInt32           COMMENT 'Exchange-traded funds among them, by curated flag'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, manager_id)
COMMENT 'Managers (AGF)';

CREATE TABLE IF NOT EXISTS fund
(
    batch       UInt64                           COMMENT 'Batch',
    fund_id     UInt32                           COMMENT 'Fund id (registry), concept_id of the API',
    run         String                           COMMENT 'RUN with check digit',
    manager_id  UInt32                           COMMENT 'Manager id (registry)',
    manager     String                           COMMENT 'Name of the manager',
    vehicle     LowCardinality(String)           COMMENT 'mutual_fund, etf or investment_fund',
    name        String                           COMMENT 'Registered name; else as the association''s sheet has it; else the RUN',
    short_name  Nullable(String)                 COMMENT 'Nombre corto of the register',
    kind        Nullable(String)                 COMMENT 'Tipo de fondo mutuo 1 to 8; FIRES or FINRE for investment funds',
    category    LowCardinality(Nullable(String)) COMMENT 'Category of its series with most equity (RULES 6)',
    currency    LowCardinality(Nullable(String)) COMMENT 'Registered currency: PESOS, DOLAR or EUR; else that of its series with most equity',
    started     Nullable(Date32)                 COMMENT 'Start of operations',
    ended       Nullable(Date32)                 COMMENT 'End of operations; null while open',
    current     Bool                             COMMENT 'Open in the register at the cutoff; without a register entry: has a current series'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, fund_id)
COMMENT 'Funds of every vehicle';

CREATE TABLE IF NOT EXISTS series
(
    batch                 UInt64                           COMMENT 'Batch',
    series_id             UInt32                           COMMENT 'Series id (registry), asset_id of the API',
    fund_id               UInt32                           COMMENT 'Fund id (registry)',
    run                   String                           COMMENT 'RUN with check digit',
    serie                 String                           COMMENT 'Series name',
    currency              LowCardinality(Nullable(String)) COMMENT 'PESOS or DOLAR, of the last quote; null for any other',
    category              LowCardinality(Nullable(String)) COMMENT 'Category by family, else by association category; null while unclassified (RULES 6)',
    family_rar            LowCardinality(Nullable(String)) COMMENT 'familia_rar: the peer group',
    family_display        LowCardinality(Nullable(String)) COMMENT 'familia_visualizador',
    family_studies        LowCardinality(Nullable(String)) COMMENT 'familia_estudios',
    class_dated           LowCardinality(Nullable(String)) COMMENT 'Investor class of the newest classification file',
    classification_date   Nullable(Date)                   COMMENT 'Date of that file',
    class_tac             LowCardinality(Nullable(String)) COMMENT 'Investor class that came with the TAC',
    tac                   Nullable(Float64)                COMMENT 'Annual cost rate, fraction: 0.0132 is 1.32 % (RULES 2)',
    tac_kind              LowCardinality(Nullable(String)) COMMENT 'synthetic or real',
    tac_date              Nullable(Date)                   COMMENT 'Date of the TAC',
    spheres               Nullable(UInt8)                  COMMENT 'ind_rar_pond of the newest comparator, 1 to 5, 5 best',
    spheres_reason        LowCardinality(Nullable(String)) COMMENT 'Why there is none: source_unavailable, not_in_source, not_rated_by_cmf, no_complete_cutoff (RULES 3)',
    spheres_date          Nullable(Date)                   COMMENT 'Date of that comparator',
    spheres_loaded_at     Nullable(DateTime64(3, 'UTC'))   COMMENT 'Revision of that comparator',
    spheres_sha256        Nullable(String)                 COMMENT 'Hash of that comparator, hex',
    apv                   Nullable(Bool)                   COMMENT 'Series for voluntary pension saving, by the association''s sheet',
    first_date            Date                             COMMENT 'First quote',
    last_date             Date                             COMMENT 'Last quote not after the cutoff',
    current               Bool                             COMMENT 'Quoted within 7 days of the cutoff, and its fund not ended by then'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, series_id)
COMMENT 'Series of mutual funds that ever had a quote up to the cutoff';

CREATE TABLE IF NOT EXISTS series_latest
(
    batch                 UInt64                   COMMENT 'Batch',
    series_id             UInt32                   COMMENT 'Series id (registry)',
    date                  Date                     COMMENT 'Last quote not after the cutoff',
    quota                 Nullable(Decimal(18, 6)) COMMENT 'Valor cuota, series currency; null when that row is void',
    equity                Nullable(Decimal(18, 4)) COMMENT 'Patrimonio neto, full units of the series currency',
    shareholders          Nullable(UInt32)         COMMENT 'Partícipes',
    previous_date         Nullable(Date)           COMMENT 'Quote before, at most 7 days older',
    previous_equity       Nullable(Decimal(18, 4)) COMMENT 'Equity on previous_date, full units of the series currency',
    daily_change          Nullable(Float64)        COMMENT 'Percent points from previous_date, with the factors that the cartola states; null across a break (RULES 7)',
    month_date            Nullable(Date)           COMMENT 'Quote at or at most 7 days before one month earlier',
    month_equity          Nullable(Decimal(18, 4)) COMMENT 'Equity on month_date, full units of the series currency',
    monthly_change        Nullable(Float64)        COMMENT 'Percent points from month_date, with the factors that the cartola states; null across a break (RULES 7)'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, series_id)
COMMENT 'Latest day of each series, with its changes';

CREATE TABLE IF NOT EXISTS series_return
(
    batch            UInt64                           COMMENT 'Batch',
    series_id        UInt32                           COMMENT 'Series id (registry)',
    window           LowCardinality(String)           COMMENT '1m, 3m, 6m, 1y, ytd, 3y_ann, 5y_ann or last_closed_month',
    value            Nullable(Float64)                COMMENT 'Price return in accounting currency, fraction; 3y_ann and 5y_ann per year',
    currency         LowCardinality(Nullable(String)) COMMENT 'PESOS or DOLAR; null when unavailable',
    reason           LowCardinality(Nullable(String)) COMMENT 'Why there is no value, the first that applies (RULES 1); null when available',
    target_start     Date                             COMMENT 'Start that the window asks for',
    target_end       Date                             COMMENT 'End that the window asks for',
    effective_start  Nullable(Date)                   COMMENT 'Last quote on or before target_start',
    effective_end    Nullable(Date)                   COMMENT 'Last quote on or before target_end'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, series_id, window)
COMMENT 'Price returns in accounting currency, eight windows a series, at the cutoff';

CREATE TABLE IF NOT EXISTS screener
(
    batch                     UInt64                           COMMENT 'Batch',
    series_id                 UInt32                           COMMENT 'Series id (registry)',
    fund_id                   UInt32                           COMMENT 'Fund id (registry)',
    run                       String                           COMMENT 'RUN with check digit',
    serie                     String                           COMMENT 'Series name',
    manager_id                UInt32                           COMMENT 'Manager id (registry)',
    manager                   String                           COMMENT 'Name of the manager',
    fund                      String                           COMMENT 'Name of the fund',
    category                  LowCardinality(Nullable(String)) COMMENT 'Category (RULES 6)',
    family_rar                LowCardinality(Nullable(String)) COMMENT 'familia_rar: the peer group',
    family_display            LowCardinality(Nullable(String)) COMMENT 'familia_visualizador',
    family_studies            LowCardinality(Nullable(String)) COMMENT 'familia_estudios',
    class_dated               LowCardinality(Nullable(String)) COMMENT 'Investor class of the newest classification file',
    classification_date       Nullable(Date)                   COMMENT 'Date of that file',
    class_tac                 LowCardinality(Nullable(String)) COMMENT 'Investor class that came with the TAC',
    currency                  LowCardinality(Nullable(String)) COMMENT 'Accounting currency: PESOS or DOLAR; null for any other',
    tac                       Nullable(Float64)                COMMENT 'Annual cost rate, fraction',
    tac_date                  Nullable(Date)                   COMMENT 'Date of the TAC',
    price                     Nullable(Decimal(18, 6))         COMMENT 'Valor cuota, series currency',
    price_date                Date                             COMMENT 'Date of the quota value',
    daily_change              Nullable(Float64)                COMMENT 'Percent points',
    monthly_change            Nullable(Float64)                COMMENT 'Percent points',
    equity                    Nullable(Decimal(18, 4))         COMMENT 'Patrimonio neto, full units of the series currency',
    previous_equity           Nullable(Decimal(18, 4))         COMMENT 'Equity at the quote before, full units of the series currency',
    month_equity              Nullable(Decimal(18, 4))         COMMENT 'Equity one month earlier, full units of the series currency',
    shareholders              Nullable(UInt32)                 COMMENT 'Partícipes',
    spheres                   Nullable(UInt8)                  COMMENT 'ind_rar_pond, 1 to 5, 5 best',
    spheres_reason            LowCardinality(Nullable(String)) COMMENT 'Why there is none (RULES 3)',
    spheres_date              Nullable(Date)                   COMMENT 'Date of the comparator',
    spheres_loaded_at         Nullable(DateTime64(3, 'UTC'))   COMMENT 'Revision of the comparator',
    spheres_sha256            Nullable(String)                 COMMENT 'Hash of the comparator, hex',
    return_1m                 Nullable(Float64)                COMMENT 'Price return 1m, fraction, accounting currency',
    return_3m                 Nullable(Float64)                COMMENT 'Price return 3m, fraction, accounting currency',
    return_6m                 Nullable(Float64)                COMMENT 'Price return 6m, fraction, accounting currency',
    return_1y                 Nullable(Float64)                COMMENT 'Price return 1y, fraction, accounting currency',
    return_ytd                Nullable(Float64)                COMMENT 'Price return ytd, fraction, accounting currency',
    return_3y_ann             Nullable(Float64)                COMMENT 'Price return 3y_ann, fraction, accounting currency',
    return_5y_ann             Nullable(Float64)                COMMENT 'Price return 5y_ann, fraction, accounting currency',
    return_last_closed_month  Nullable(Float64)                COMMENT 'Price return last_closed_month, fraction, accounting currency',
    reason_1m                 LowCardinality(Nullable(String)) COMMENT 'Why return_1m is null (RULES 1)',
    reason_3m                 LowCardinality(Nullable(String)) COMMENT 'Why return_3m is null (RULES 1)',
    reason_6m                 LowCardinality(Nullable(String)) COMMENT 'Why return_6m is null (RULES 1)',
    reason_1y                 LowCardinality(Nullable(String)) COMMENT 'Why return_1y is null (RULES 1)',
    reason_ytd                LowCardinality(Nullable(String)) COMMENT 'Why return_ytd is null (RULES 1)',
    reason_3y_ann             LowCardinality(Nullable(String)) COMMENT 'Why return_3y_ann is null (RULES 1)',
    reason_5y_ann             LowCardinality(Nullable(String)) COMMENT 'Why return_5y_ann is null (RULES 1)',
    reason_last_closed_month  LowCardinality(Nullable(String)) COMMENT 'Why return_last_closed_month is null (RULES 1)',
    start_1m                  Nullable(Date)                   COMMENT 'Effective start of 1m',
    start_3m                  Nullable(Date)                   COMMENT 'Effective start of 3m',
    start_6m                  Nullable(Date)                   COMMENT 'Effective start of 6m',
    start_1y                  Nullable(Date)                   COMMENT 'Effective start of 1y',
    start_ytd                 Nullable(Date)                   COMMENT 'Effective start of ytd',
    start_3y_ann              Nullable(Date)                   COMMENT 'Effective start of 3y_ann',
    start_5y_ann              Nullable(Date)                   COMMENT 'Effective start of 5y_ann',
    start_last_closed_month   Nullable(Date)                   COMMENT 'Effective start of last_closed_month',
    end_1m                    Nullable(Date)                   COMMENT 'Effective end of 1m',
    end_3m                    Nullable(Date)                   COMMENT 'Effective end of 3m',
    end_6m                    Nullable(Date)                   COMMENT 'Effective end of 6m',
    end_1y                    Nullable(Date)                   COMMENT 'Effective end of 1y',
    end_ytd                   Nullable(Date)                   COMMENT 'Effective end of ytd',
    end_3y_ann                Nullable(Date)                   COMMENT 'Effective end of 3y_ann',
    end_5y_ann                Nullable(Date)                   COMMENT 'Effective end of 5y_ann',
    end_last_closed_month     Nullable(Date)                   COMMENT 'Effective end of last_closed_month'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, series_id)
SETTINGS index_granularity = 1024
COMMENT 'One row per series alive at the cutoff: what the screener filters, sorts and shows';

CREATE TABLE IF NOT EXISTS window_target
(
    batch         UInt64                 COMMENT 'Batch',
    window        LowCardinality(String) COMMENT 'Return window',
    target_start  Date                   COMMENT 'Start that the window asks for at the cutoff',
    target_end    Date                   COMMENT 'End that the window asks for at the cutoff'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, window)
COMMENT 'Target dates of the windows of a batch, the same for every series';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
