-- Projections of the present, which are written completely for each batch.

CREATE TABLE IF NOT EXISTS manager
(
    batch             UInt64           COMMENT 'Batch',
    manager_id        UInt32           COMMENT 'Manager id (registry)',
    rut               Nullable(String) COMMENT 'RUT with check digit; null where only the name is known',
    name              String           COMMENT 'Most recent name, upper case as the source, spaces collapsed',
    mutual_funds      UInt32           COMMENT 'Mutual funds in the register, open or closed, without exchange-traded ones',
    investment_funds  UInt32           COMMENT 'Investment funds in the register, redeemable or not, without exchange-traded ones',
    etfs              UInt32           COMMENT 'Exchange-traded funds of either register, by curated flag'
)
parts.stored_by_batch(key: manager_id)
COMMENT 'Managers (AGF). Holds several batches: read current_manager';

CREATE TABLE IF NOT EXISTS fund
(
    batch       UInt64                           COMMENT 'Batch',
    fund_id     UInt32                           COMMENT 'Fund id (registry), concept_id of the API',
    run         String                           COMMENT 'RUN with check digit',
    manager_id  UInt32                           COMMENT 'Manager id (registry); 0 where no source names one',
    manager     String                           COMMENT 'Name of the manager',
    vehicle     LowCardinality(String)           COMMENT 'etf by curated flag, whatever the register; else investment_fund or mutual_fund (RULES 11)',
    name        String                           COMMENT 'Registered name; else as the association\'s sheet has it; else the RUN',
    short_name  Nullable(String)                 COMMENT 'Nombre corto of the register',
    kind        Nullable(String)                 COMMENT 'Tipo de fondo mutuo 1 to 8; FIRES or FINRE for investment funds',
    category    LowCardinality(Nullable(String)) COMMENT 'Category of its series with most equity (RULES 6)',
    currency    LowCardinality(Nullable(String)) COMMENT 'Registered currency: PESOS, DOLAR or EUR; else that of its series with most equity',
    started     Nullable(Date32)                 COMMENT 'Start of operations',
    ended       Nullable(Date32)                 COMMENT 'End of operations; null while open',
    current     Bool                             COMMENT 'Open in the register at the cutoff; without a register entry: has a current series. Investment funds: the register does not call it no vigente'
)
parts.stored_by_batch(key: fund_id)
COMMENT 'Funds of every vehicle. Holds several batches: read current_fund';

CREATE TABLE IF NOT EXISTS series
(
    batch                UInt64                           COMMENT 'Batch',
    series_id            UInt32                           COMMENT 'Series id (registry), asset_id of the API',
    fund_id              UInt32                           COMMENT 'Fund id (registry)',
    run                  String                           COMMENT 'RUN with check digit',
    serie                String                           COMMENT 'Series name at the cutoff',
    currency             LowCardinality(Nullable(String)) COMMENT 'PESOS or DOLAR, of the last quote; null for any other',
    category             LowCardinality(Nullable(String)) COMMENT 'Category by family, else by association category; null while unclassified (RULES 6)',
    family_rar           LowCardinality(Nullable(String)) COMMENT 'familia_rar: the peer group',
    family_display       LowCardinality(Nullable(String)) COMMENT 'familia_visualizador',
    family_studies       LowCardinality(Nullable(String)) COMMENT 'familia_estudios',
    class_dated          LowCardinality(Nullable(String)) COMMENT 'Investor class of the newest classification file',
    classification_date  Nullable(Date)                   COMMENT 'Date of that file',
    class_tac            LowCardinality(Nullable(String)) COMMENT 'Investor class that came with the TAC',
    tac                  Nullable(Float64)                COMMENT 'Annual cost rate, fraction: 0.0132 is 1.32 % (RULES 2)',
    tac_kind             LowCardinality(Nullable(String)) COMMENT 'synthetic, stated or computed; null without a rate. Kinds do not compare: tac_month.tac_kind',
    tac_date             Nullable(Date)                   COMMENT 'Date of the TAC',
    spheres              Nullable(UInt8)                  COMMENT 'ind_rar_pond of the newest comparator, 1 to 5, 5 best',
    spheres_reason       LowCardinality(Nullable(String)) COMMENT 'Why there is none: source_unavailable, not_in_source, not_rated_by_cmf, no_complete_cutoff (RULES 3)',
    spheres_date         Nullable(Date)                   COMMENT 'Date of that comparator',
    spheres_loaded_at    Nullable(DateTime64(3, 'UTC'))   COMMENT 'Revision of that comparator',
    spheres_sha256       Nullable(String)                 COMMENT 'Hash of that comparator, hex',
    apv                  Nullable(Bool)                   COMMENT 'Series for voluntary pension saving, by the association\'s sheet',
    first_date           Date                             COMMENT 'First quote',
    last_date            Date                             COMMENT 'Last quote not after the cutoff',
    current              Bool                             COMMENT 'Quoted at least once, with a row within 7 days of the cutoff, and neither its fund ended nor its quotas exchanged nor its end stated by then',
    previous_serie       Nullable(String)                 COMMENT 'Name before the newest rename; null without a rename',
    current_serie        Nullable(String)                 COMMENT 'Name since the newest rename, which may lie after the cutoff; null without a rename',
    first_current_date   Nullable(Date)                   COMMENT 'First day under current_serie; null without a rename',
    alias_ids            Array(UInt32)                    COMMENT 'Ids that find the series, that of the newest name first; empty without a rename',
    last_family          LowCardinality(Nullable(String)) COMMENT 'familia_rar that the newest comparator file to name one gives the series, closed or not: what survivorship is studied by; null where none ever did',
    last_category        LowCardinality(Nullable(String)) COMMENT 'Category by the newest comparator file that gives one, else by the newest sheet of the association that does; null where none ever did'
)
parts.stored_by_batch(key: series_id)
COMMENT 'Series of mutual funds that ever had a quote up to the cutoff. Holds several batches: read current_series';

CREATE TABLE IF NOT EXISTS series_latest
(
    batch            UInt64                   COMMENT 'Batch',
    series_id        UInt32                   COMMENT 'Series id (registry)',
    date             Date                     COMMENT 'Last quote not after the cutoff',
    quota            Nullable(Decimal(18, 6)) COMMENT 'Valor cuota, series currency; null when that row is void',
    equity           Nullable(Decimal(18, 4)) COMMENT 'Patrimonio neto, full units of the series currency',
    shareholders     Nullable(UInt32)         COMMENT 'Partícipes',
    previous_date    Nullable(Date)           COMMENT 'Quote before, at most 7 days older',
    previous_equity  Nullable(Decimal(18, 4)) COMMENT 'Equity on previous_date, full units of the series currency',
    daily_change     Nullable(Float64)        COMMENT 'Percent points from previous_date, adjusted by the factors that the cartola states; price returns (series_return) are not; null across a break (RULES 7)',
    month_date       Nullable(Date)           COMMENT 'Quote at or at most 7 days before one month earlier',
    month_equity     Nullable(Decimal(18, 4)) COMMENT 'Equity on month_date, full units of the series currency',
    monthly_change   Nullable(Float64)        COMMENT 'Percent points from month_date, adjusted by the factors that the cartola states; price returns (series_return) are not; null across a break (RULES 7)'
)
parts.stored_by_batch(key: series_id)
COMMENT 'Latest day of each series, with its changes. Holds several batches: read current_series_latest';

CREATE TABLE IF NOT EXISTS series_return
(
    batch            UInt64                           COMMENT 'Batch',
    series_id        UInt32                           COMMENT 'Series id (registry)',
    window           LowCardinality(String)           COMMENT '1m, 3m, 6m, 1y, ytd, 3y_ann, 5y_ann or last_closed_month',
    value            Nullable(Float64)                COMMENT 'Price return in accounting currency, fraction; 3y_ann and 5y_ann per year. Of the quotas alone: market_day.daily_change and monthly_change are adjusted by factors, this is not',
    currency         LowCardinality(Nullable(String)) COMMENT 'PESOS or DOLAR; null when unavailable',
    reason           LowCardinality(Nullable(String)) COMMENT 'Why there is no value, the first that applies (RULES 1); null when available',
    target_start     Date                             COMMENT 'Start that the window asks for',
    target_end       Date                             COMMENT 'End that the window asks for',
    effective_start  Nullable(Date)                   COMMENT 'Last quote on or before target_start',
    effective_end    Nullable(Date)                   COMMENT 'Last quote on or before target_end'
)
parts.stored_by_batch(key: series_id, window)
COMMENT 'Price returns in accounting currency, eight windows a series, at the cutoff. Holds several batches: read current_series_return';

CREATE TABLE IF NOT EXISTS screener
(
    batch                       UInt64                                   COMMENT 'Batch',
    series_id                   UInt32                                   COMMENT 'Series id (registry)',
    fund_id                     UInt32                                   COMMENT 'Fund id (registry)',
    run                         String                                   COMMENT 'RUN with check digit',
    serie                       String                                   COMMENT 'Series name at the cutoff',
    manager_id                  UInt32                                   COMMENT 'Manager id (registry)',
    manager                     String                                   COMMENT 'Name of the manager',
    fund                        String                                   COMMENT 'Name of the fund',
    category                    LowCardinality(Nullable(String))         COMMENT 'Category (RULES 6)',
    family_rar                  LowCardinality(Nullable(String))         COMMENT 'familia_rar: the peer group',
    family_display              LowCardinality(Nullable(String))         COMMENT 'familia_visualizador',
    family_studies              LowCardinality(Nullable(String))         COMMENT 'familia_estudios',
    class_dated                 LowCardinality(Nullable(String))         COMMENT 'Investor class of the newest classification file',
    classification_date         Nullable(Date)                           COMMENT 'Date of that file',
    class_tac                   LowCardinality(Nullable(String))         COMMENT 'Investor class that came with the TAC',
    currency                    LowCardinality(Nullable(String))         COMMENT 'Accounting currency: PESOS or DOLAR; null for any other',
    tac                         Nullable(Float64)                        COMMENT 'Annual cost rate, fraction',
    tac_kind                    LowCardinality(Nullable(String))         COMMENT 'synthetic, stated or computed, of tac; null without a rate. Kinds do not compare: tac_month.tac_kind',
    tac_date                    Nullable(Date)                           COMMENT 'Date of the TAC',
    price                       Nullable(Decimal(18, 6))                 COMMENT 'Valor cuota, series currency',
    price_date                  Date                                     COMMENT 'Date of the quota value',
    daily_change                Nullable(Float64)                        COMMENT 'Percent points from the quote before, adjusted by the factors that the cartola states; return_1m and the other price returns are not',
    monthly_change              Nullable(Float64)                        COMMENT 'Percent points from the quote of a month before, adjusted by the factors that the cartola states; return_1m is not, and differs where a distribution was paid',
    equity                      Nullable(Decimal(18, 4))                 COMMENT 'Patrimonio neto, full units of the series currency',
    previous_equity             Nullable(Decimal(18, 4))                 COMMENT 'Equity at the quote before, full units of the series currency',
    month_equity                Nullable(Decimal(18, 4))                 COMMENT 'Equity one month earlier, full units of the series currency',
    shareholders                Nullable(UInt32)                         COMMENT 'Partícipes',
    spheres                     Nullable(UInt8)                          COMMENT 'ind_rar_pond, 1 to 5, 5 best',
    spheres_reason              LowCardinality(Nullable(String))         COMMENT 'Why there is none (RULES 3)',
    spheres_date                Nullable(Date)                           COMMENT 'Date of the comparator',
    spheres_loaded_at           Nullable(DateTime64(3, 'UTC'))           COMMENT 'Revision of the comparator',
    spheres_sha256              Nullable(String)                         COMMENT 'Hash of the comparator, hex',
    return_1m                   Nullable(Float64)                        COMMENT 'Price return 1m, fraction, accounting currency: of the quotas alone. daily_change, monthly_change, volatility and drawdown are adjusted by factors, return_1m is not',
    return_{window but 1m}      Nullable(Float64) COMMENT 'Price return {window}, fraction, accounting currency',
    currency_last_closed_month  LowCardinality(Nullable(String)) DEFAULT currency COMMENT 'Currency of return_last_closed_month, which the series may have left since; the other windows end in currency',
    reason_{window}             LowCardinality(Nullable(String)) COMMENT 'Why return_{window} is null (RULES 1)',
    start_{window}              Nullable(Date)                           COMMENT 'Effective start of {window}',
    end_{window}                Nullable(Date)                           COMMENT 'Effective end of {window}',
    volatility_monthly_12m      Nullable(Float64)                        COMMENT 'Sample standard deviation of 12 monthly returns, fraction, adjusted by the factors that the cartola states; return_1m is not',
    volatility_monthly_36m      Nullable(Float64)                        COMMENT 'Sample standard deviation of 36 monthly returns, fraction, adjusted by the factors that the cartola states; return_1m is not',
    volatility_annualized_12m   Nullable(Float64)                        COMMENT 'volatility_monthly_12m × √12',
    volatility_annualized_36m   Nullable(Float64)                        COMMENT 'volatility_monthly_36m × √12',
    max_drawdown_36m            Nullable(Float64)                        COMMENT 'Deepest fall in 36 months of daily quotes, fraction, 0 or less, adjusted by the factors that the cartola states; return_1m is not',
    risk_score                  Nullable(UInt8)                          COMMENT '0 to 100 among the series of risk_date by mid-rank percentiles: risk_month.risk_score',
    risk_level                  LowCardinality(Nullable(String))         COMMENT 'low, medium or high',
    risk_date                   Nullable(Date)                           COMMENT 'Month end of the newest snapshot of the series; null without any',
    risk_method_version         LowCardinality(Nullable(String))         COMMENT 'Version of the risk rules; null without a snapshot',
    previous_serie              Nullable(String)                         COMMENT 'Name before the newest rename; null without a rename',
    current_serie               Nullable(String)                         COMMENT 'Name since the newest rename, which may lie after the cutoff; null without a rename',
    first_current_date          Nullable(Date)                           COMMENT 'First day under current_serie; null without a rename',
    alias_ids                   Array(UInt32)                            COMMENT 'Ids that find the series, that of the newest name first; empty without a rename'
)
parts.stored_by_batch(key: series_id)
SETTINGS index_granularity = 1024
COMMENT 'One row per series alive at the cutoff: what the screener filters, sorts and shows. Holds several batches: read current_screener';

CREATE TABLE IF NOT EXISTS window_target
(
    batch         UInt64                 COMMENT 'Batch',
    window        LowCardinality(String) COMMENT 'Return window',
    target_start  Date                   COMMENT 'Start that the window asks for at the cutoff',
    target_end    Date                   COMMENT 'End that the window asks for at the cutoff'
)
parts.stored_by_batch(key: window)
COMMENT 'Target dates of the windows of a batch, the same for every series. Holds several batches: read current_window_target';

CREATE TABLE IF NOT EXISTS fi_instrument
(
    batch              UInt64                           COMMENT 'Batch',
    instrument_id      UUID                             COMMENT 'Public id of the series, asset_id and instrument_id of the API; of a fund\'s own row that of the fund (cuota_fi_id)',
    series_id          Nullable(UInt32)                 COMMENT 'Series number (registry, fi_series), by which days, breaks, returns and risk know it; null in a fund\'s own row',
    listed             Bool                             COMMENT 'False: own row of a fund whose series are known; it is found by its id and never listed',
    fund_id            UInt32                           COMMENT 'Fund id (registry), concept_id of the API',
    run                String                           COMMENT 'RUN with check digit',
    serie              LowCardinality(Nullable(String)) COMMENT 'Series name; null in a fund\'s own row',
    fund               String                           COMMENT 'Name of the fund',
    manager_id         Nullable(UInt32)                 COMMENT 'Manager id (registry), provider_id of the API; null where no register names one',
    manager            Nullable(String)                 COMMENT 'Name of the manager',
    vehicle            LowCardinality(String)           COMMENT 'etf or investment_fund',
    regulatory_type    LowCardinality(String)           COMMENT 'RES redeemable (FIRES), FINRE not; FI: the register does not say (RULES 11)',
    is_etf             Nullable(Bool)                   COMMENT 'Exchange-traded, by curated flag; null: unknown',
    etf_source_url     Nullable(String)                 COMMENT 'Address of the document that proves the flag',
    etf_source_sha256  Nullable(String)                 COMMENT 'Hash of that document, hex',
    status             LowCardinality(String)           COMMENT 'active: vigente and a value at most 95 days older than the cutoff; inactive: no vigente; else unknown (RULES 11)',
    current            Bool                             COMMENT 'Quoted within 7 days of the cutoff, and not inactive',
    first_date         Nullable(Date)                   COMMENT 'First day with a value, up to the cutoff',
    last_date          Nullable(Date)                   COMMENT 'Last day with a value, up to the cutoff; the columns behind this one are of that day, null without one',
    currency           LowCardinality(Nullable(String)) COMMENT 'PESOS or DOLAR; null for any other',
    book_value         Nullable(Decimal(18, 6))         COMMENT 'Valor libro of one quota, in currency; null when that row is void',
    economic_value     Nullable(Decimal(18, 6))         COMMENT 'Valor económico of one quota, in currency',
    equity             Nullable(Decimal(18, 4))         COMMENT 'Patrimonio neto, full units of currency',
    total_assets       Nullable(Decimal(18, 4))         COMMENT 'Activo total, full units of currency',
    contributors       Nullable(UInt32)                 COMMENT 'Aportantes',
    institutional      Nullable(UInt32)                 COMMENT 'Of these, institutional',
    agency             LowCardinality(Nullable(String)) COMMENT 'Agencia'
)
parts.stored_by_batch(key: instrument_id)
COMMENT 'Instruments of investment funds: their series, and one row for each fund itself. Holds several batches: read current_fi_instrument';
