-- In what files differ from the files before them, or from what their names say: a row for each
-- finding. state says what became of the file.
--   SELECT file, kind, column, before, now FROM file_finding WHERE state = 'quarantined'
CREATE OR REPLACE VIEW file_finding AS
SELECT
    toString(dataset) AS dataset, sha256, revision, file, toString(state) AS state, judged_at, compared_with,
    toString(kind) AS kind, column, before, now, line, at_stake
FROM (SELECT * FROM file_judgement FINAL)
ARRAY JOIN
    finding_kind AS kind, finding_column AS column, finding_before AS before, finding_now AS now,
    finding_line AS line, finding_at_stake AS at_stake
