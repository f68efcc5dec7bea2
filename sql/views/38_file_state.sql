-- The files whose manifest has arrived, with the state of each: incomplete while facts are
-- missing; unpublished if it is complete and in no published batch; noted if a published batch
-- includes it, and a batch has noted how many facts it has or it has none; unnoted if that note
-- was lost.
--   SELECT * FROM file_state WHERE state = 'incomplete'
CREATE OR REPLACE VIEW file_state AS
SELECT
    dataset, sha256, keys,
    multiIf(
        sha256 NOT IN (SELECT sha256 FROM complete_file), 'incomplete',
        sha256 NOT IN (SELECT sha256 FROM batch_new_file WHERE batch <= (SELECT max(batch) FROM batch) AND batch NOT IN (SELECT batch FROM batch_failure)), 'unpublished',
        keys > 0 AND sha256 NOT IN (SELECT piece FROM batch_table WHERE length(piece) = 64), 'unnoted',
        'noted') AS state
FROM manifest
