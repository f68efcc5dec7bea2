-- Names. An id is given once and never again. A renamed series is one series: every name that it has
-- or had finds it, and its rows have the id of its newest name (RULES 1 and 12).

CREATE TABLE IF NOT EXISTS registry
(
    kind   LowCardinality(String) COMMENT 'manager, fund, series (of mutual funds) or fi_series (of investment funds): ids are unique inside a kind, and both kinds of series share one space',
    id     UInt32                 COMMENT 'CRC-32 of the key, or of key#1, key#2 … where that was taken (RULES 12)',
    key    String                 COMMENT 'agf:RUT, fund:RUN, series:RUN:SERIE or fi:RUN:SERIE, with check digits',
    run    UInt32                 COMMENT 'RUN of the fund or series, RUT of the manager, without check digit; 0 for a manager known by name alone',
    serie  String                 COMMENT 'Series name; empty for funds, normalised name for managers without RUT',
    batch  UInt64                 COMMENT 'Batch that first needed the id'
)
ENGINE = MergeTree
ORDER BY (kind, id)
COMMENT 'Every id ever given out. Ids are never reused';

CREATE TABLE IF NOT EXISTS registry_copy
(
    kind   LowCardinality(String) COMMENT 'As in registry',
    id     UInt32                 COMMENT 'As in registry',
    key    String                 COMMENT 'As in registry',
    run    UInt32                 COMMENT 'As in registry',
    serie  String                 COMMENT 'As in registry',
    batch  UInt64                 COMMENT 'As in registry'
)
ENGINE = MergeTree
ORDER BY (kind, id)
COMMENT 'A second copy of registry, in files of its own: ids that were given out must not be given out anew if one copy is lost';

CREATE TABLE IF NOT EXISTS quota_series
(
    batch  UInt64 COMMENT 'Batch whose new files speak of the series and none before did',
    run    UInt32 COMMENT 'Fund RUN without check digit',
    serie  String COMMENT 'Series name'
)
ENGINE = MergeTree
ORDER BY (run, serie)
COMMENT 'Series that a cartola speaks of, each once';

CREATE TABLE IF NOT EXISTS quota_manager
(
    batch        UInt64                 COMMENT 'Batch in which the files are new',
    run          UInt32                 COMMENT 'Fund RUN without check digit',
    manager_rut  UInt32                 COMMENT 'Manager (AGF) RUT without check digit',
    manager      LowCardinality(String) COMMENT 'Manager name as the cartola writes it, spaces collapsed',
    stated_on    Date                   COMMENT 'Last day on which these files state it'
)
ENGINE = MergeTree
ORDER BY (batch, run, manager_rut)
COMMENT 'Who manages each fund by the new cartolas of each batch. Holds several batches: read batch_manager';

CREATE TABLE IF NOT EXISTS series_rename
(
    batch               UInt64                 COMMENT 'Batch',
    run                 UInt32                 COMMENT 'Fund RUN without check digit',
    previous_serie      LowCardinality(String) COMMENT 'Name that the series gave up',
    current_serie       LowCardinality(String) COMMENT 'Name that the series took',
    first_current_date  Date                   COMMENT 'First day under the new name',
    reason              LowCardinality(String) COMMENT 'Why it is not applied: several_previous (two names become this one), cycle, chain_too_long (over 32 renames), dates_out_of_order, unknown_series (neither name was ever quoted), both_quoted (the two lived side by side: not one series); empty when it is applied'
)
parts.stored_by_batch(key: run, previous_serie)
COMMENT 'Every rename that the files of a batch state, corrections resolved, and whether it is applied. Holds several batches: read current_series_rename';

CREATE TABLE IF NOT EXISTS series_label
(
    batch        UInt64                 COMMENT 'Batch',
    series_id    UInt32                 COMMENT 'Series id (registry): that of the newest name',
    label_id     UInt32                 COMMENT 'Id of this name (registry); finds the series like series_id',
    run          UInt32                 COMMENT 'Fund RUN without check digit',
    serie        LowCardinality(String) COMMENT 'Name',
    position     UInt8                  COMMENT '1 for the newest name, 2 for the one before …',
    valid_from   Date                   COMMENT 'First day under this name; 1970-01-01 for the first one',
    valid_until  Date                   COMMENT 'Last day under this name; 2149-06-06 for the newest one'
)
parts.stored_by_batch(key: label_id)
COMMENT 'The names of renamed series. Series that never changed their name have no row: see batch_series_name. Holds several batches: read current_series_label';
