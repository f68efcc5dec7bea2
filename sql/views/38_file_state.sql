-- The files whose manifest has arrived, with the state of each: incomplete while facts are
-- missing; unpublished if the file is complete and in no published batch; unnoted if it is in
-- a published batch and its note of how many facts it has was lost; noted otherwise.
--   SELECT * FROM file_state WHERE state = 'incomplete'
CREATE OR REPLACE VIEW file_state AS
SELECT
    dataset, sha256, keys,
    multiIf(
        sha256 NOT IN (SELECT sha256 FROM complete_file), 'incomplete',
        sha256 NOT IN (SELECT sha256 FROM batch_new_file WHERE batch <= (SELECT max(batch) FROM batch) AND batch NOT IN (SELECT batch FROM batch_failure)), 'unpublished',
        keys > 0 AND sha256 NOT IN (SELECT sha256 FROM noted_file), 'unnoted',
        'noted') AS state
FROM manifest FINAL
