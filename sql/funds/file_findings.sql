-- In what files differ from the files before them, or from what their names say, and which of them
-- wait for a person because of it.
--   SELECT file, kind, column_name, before, now FROM funds.file_findings ORDER BY judged_at DESC LIMIT 20
--
-- changes: none
CREATE OR REPLACE VIEW funds.file_findings
(
    dataset        LowCardinality(String) COMMENT 'Dataset of the file',
    source_sha256  String                 COMMENT 'Hash of the file, SHA-256 in hex',
    file           String                 COMMENT 'Name of the file',
    state          LowCardinality(String) COMMENT 'taken; quarantined: not published until a person accepts it; accepted; declined: a person refused it',
    judged_at      DateTime64(3, 'UTC')   COMMENT 'When that state began, UTC',
    kind           LowCardinality(String) COMMENT 'In what the file differs, as ends_early, new_word or fewer_decimals',
    column_name    String                 COMMENT 'Column of the file; empty: the file as a whole',
    before         String                 COMMENT 'What the files before it have, or what its name says',
    now            String                 COMMENT 'What the file has',
    line           UInt32                 COMMENT 'Line of the file that shows it first; 0: no single one',
    at_stake       Bool                   COMMENT 'Wrong figures might be computed from the column'
)
SQL SECURITY DEFINER AS
SELECT
    dataset, sha256 AS source_sha256, file, state, judged_at, kind, column AS column_name, before, now, line, at_stake
FROM file_finding
COMMENT 'In what files differ from the files before them, and which of them wait for a person. Key: dataset, source_sha256, kind, column_name, before, now.'
