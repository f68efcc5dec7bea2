-- Builds of days that no kept batch sees, by the table that lists them. A batch sees, of each
-- day, the newest build that is not after it. So a build is superseded if the first kept batch
-- that is not before it sees a newer build already. Nobody sees the build of a batch that
-- failed, but it is left alone until all kept batches are newer: another statement drops
-- the rows of failed batches.
--   SELECT list, count() FROM superseded_build GROUP BY list
CREATE OR REPLACE VIEW superseded_build AS
WITH (SELECT arraySort(groupArray(batch)) FROM batch) AS kept
SELECT list, date, build
FROM
(
    SELECT
        list, date, build, failed,
        -- 0 if there is none.
        minIf(build, NOT failed) OVER (PARTITION BY list, date ORDER BY build ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS newer,
        arrayFirst(number -> number >= build, kept) AS seen_by
    FROM
    (
        SELECT DISTINCT toString(_table) AS list, date, build, build IN (SELECT batch FROM batch_failure) AS failed
        FROM merge(currentDatabase(), (SELECT concat('^(', arrayStringConcat(groupArray(table), '|'), ')$') FROM built_table WHERE kind = 'list'))
    )
)
WHERE if(failed, build < kept[1], newer BETWEEN 1 AND seen_by)
