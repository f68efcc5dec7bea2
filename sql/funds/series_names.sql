-- Every name that a series of a mutual fund has or had.
--   SELECT serie, valid_from, valid_until FROM funds.series_names WHERE series_id = 1161378270 ORDER BY position
CREATE OR REPLACE VIEW funds.series_names
(
    alias_id     UInt32           COMMENT 'Id of the name; the API finds the series by it too',
    series_id    UInt32           COMMENT 'Id of the series',
    run          String           COMMENT 'RUN of the fund with check digit',
    serie        String           COMMENT 'Name',
    position     UInt32           COMMENT '1 for the newest name, 2 for the one before, and so on',
    valid_from   Nullable(Date)   COMMENT 'First day under this name; null for the first name',
    valid_until  Nullable(Date)   COMMENT 'Last day under this name; null for the newest name'
)
SQL SECURITY DEFINER AS
SELECT
    label_id AS alias_id, series_id, cuota_rol(names.run) AS run, serie, position,
    nullIf(names.valid_from, toDate('1970-01-01')) AS valid_from, nullIf(names.valid_until, toDate('2149-06-06')) AS valid_until
FROM batch_series_name(batch = {batch:UInt64}) AS names
COMMENT 'Names of the series of mutual funds, today''s and earlier ones. Key: alias_id.'
