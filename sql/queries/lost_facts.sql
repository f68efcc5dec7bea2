-- The files in a published batch that lack facts, of those whose number of facts is not noted
-- any more. Everything that their manifests count must have arrived. A file whose manifest is
-- lost too, and that is not listed as complete either, counts as one missing row of manifest.
WITH
    files AS (SELECT sha256 FROM batch_file(batch = {batch:UInt64}) WHERE sha256 NOT IN (SELECT sha256 FROM noted_file)),
    counted AS (SELECT dataset, sha256, keys FROM manifest FINAL WHERE sha256 IN (SELECT sha256 FROM files)),
    arrived AS (SELECT sha256, keys FROM arrived_keys(states = ['unnoted', 'incomplete']))
SELECT of_table, of_piece, noted_rows, stored_rows, true AS is_fact
FROM
(
    SELECT dataset AS of_table, sha256 AS of_piece, counted.keys AS noted_rows, arrived.keys AS stored_rows
    FROM counted
    LEFT JOIN arrived USING (sha256)
    WHERE arrived.keys < counted.keys
    UNION ALL
    SELECT 'manifest', sha256, 1, 0 FROM files WHERE sha256 NOT IN (SELECT sha256 FROM manifest)
)
ORDER BY of_table, of_piece
