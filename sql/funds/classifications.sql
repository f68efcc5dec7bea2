-- What each series of a mutual fund was classified as, and since when.
--   SELECT valid_from, family FROM funds.classifications WHERE series_id = 1161378270 AND source = 'comparator' ORDER BY valid_from
CREATE OR REPLACE VIEW funds.classifications
(
    series_id       UInt32                           COMMENT 'Id of the series',
    source          LowCardinality(String)           COMMENT 'comparator: families of the regulator; sheet: category of the association',
    valid_from      Date                             COMMENT 'First day on which the statement counts, until the next one of its source; 1970-01-02 for the first one',
    stated_on       Date                             COMMENT 'Date of the file that made the statement first',
    family          LowCardinality(Nullable(String)) COMMENT 'Peer group; null from the sheet',
    family_display  LowCardinality(Nullable(String)) COMMENT 'Coarser group of the regulator (familia_visualizador); null from the sheet',
    category        LowCardinality(Nullable(String)) COMMENT 'Category by that statement; null while unclassified'
)
SQL SECURITY DEFINER AS
SELECT series_id, source, valid_from, stated_on, family_rar AS family, family_display, category
FROM classification
WHERE batch = {batch:UInt64}
COMMENT 'What series were classified as, and since when. Key: series_id, source, valid_from.'
