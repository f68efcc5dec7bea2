-- What rows that a file states would do to the facts that count in a batch: one row for each key that the file states.
-- The rows come as the external table stated, which has the columns of the table in their order.
--   table           the table of facts, in which the newest row of a key counts (parts/newest_facts.sql)
--   key_1 to key_4  the columns of its key; the last one is repeated if it has fewer
-- outcome is new if the batch has no row with the key, older if the row that counts now would still count, equal if the
-- new row would count and states the same, and corrected if it would count and states something else. stated_row and
-- counting_row have the columns of both as JSON, but only if the outcome is corrected or older.
WITH
    rows_of_keys AS
    (
        SELECT *, false AS here
        FROM {table:Identifier}
        WHERE ({key_1:Identifier}, {key_2:Identifier}, {key_3:Identifier}, {key_4:Identifier})
              IN (SELECT {key_1:Identifier}, {key_2:Identifier}, {key_3:Identifier}, {key_4:Identifier} FROM stated)
          AND source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
        UNION ALL
        SELECT *, true AS here FROM stated
    ),
    ranked AS
    (
        SELECT
            toString(tuple({key_1:Identifier}, {key_2:Identifier}, {key_3:Identifier}, {key_4:Identifier}))
                AS row_key,
            here, toString(source_sha256) AS row_sha256, source_line AS row_line, revision AS row_revision,
            formatRowNoNewline('JSONEachRow', * EXCEPT (revision, source_sha256, source_line, here)) AS content,
            row_number() OVER (PARTITION BY row_key ORDER BY parts.newest_first)       AS place,
            row_number() OVER (PARTITION BY row_key, here ORDER BY parts.newest_first) AS place_of_side
        FROM rows_of_keys
    ),
    outcomes AS
    (
        SELECT
            ours.row_line AS line, ours.row_key AS row_key,
            multiIf(theirs.row_line = 0, 'new', ours.place > 1, 'older',
                    ours.content = theirs.content, 'equal', 'corrected') AS outcome,
            outcome IN ('corrected', 'older') AS differing,
            if(differing, ours.content, '')   AS stated_row,
            if(differing, theirs.content, '') AS counting_row,
            theirs.row_sha256 AS counting_sha256, theirs.row_line AS counting_line,
            theirs.row_revision AS counting_since
        FROM (SELECT * FROM ranked WHERE here AND place_of_side = 1) AS ours
        LEFT JOIN (SELECT * FROM ranked WHERE NOT here AND place_of_side = 1) AS theirs
            ON theirs.row_key = ours.row_key
    )
SELECT outcomes.* EXCEPT (differing), named.file AS counting_file
FROM outcomes
LEFT ANY JOIN
(
    SELECT sha256, any(file) AS file FROM complete_file GROUP BY sha256
) AS named ON named.sha256 = outcomes.counting_sha256
ORDER BY line
SETTINGS join_use_nulls = 0
