-- +goose Up

-- The series and managers that the cartolas of each batch name. A batch need not read the
-- facts of ten years to find a new series or the name of a manager.

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
COMMENT 'Who manages each fund by the new cartolas of each batch';

-- Removes rows that an interrupted run of this migration has left.
TRUNCATE TABLE quota_series;
INSERT INTO quota_series (batch, run, serie)
SELECT min(known.batch), run, serie
FROM fact_quota
INNER JOIN (SELECT sha256, min(batch) AS batch FROM batch_new_file GROUP BY sha256) AS known ON known.sha256 = source_sha256
GROUP BY run, serie;

-- Removes rows that an interrupted run of this migration has left.
TRUNCATE TABLE quota_manager;
INSERT INTO quota_manager (batch, run, manager_rut, manager, stated_on)
SELECT known.batch, run, manager_rut, manager, max(date)
FROM fact_quota
INNER JOIN (SELECT sha256, min(batch) AS batch FROM batch_new_file GROUP BY sha256) AS known ON known.sha256 = source_sha256
WHERE NOT void
GROUP BY known.batch, run, manager_rut, manager;

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
