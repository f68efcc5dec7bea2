-- +goose Up

-- Several projectors may run on one database, and one of them builds. If two take the same
-- number, their claims show it. Commands wait in a table, so that the projector that builds
-- next finds them.

ALTER TABLE batch_attempt
    ADD COLUMN IF NOT EXISTS claim String DEFAULT '' COMMENT 'Who took the number: random, so that two that took the same one see it; empty in old rows';

ALTER TABLE command_done
    ADD COLUMN IF NOT EXISTS failure String DEFAULT '' COMMENT 'Why the batch was refused by its checks; empty: it was published';

ALTER TABLE command_done
    COMMENT COLUMN batch 'Batch that it led to, published or refused',
    COMMENT COLUMN done_at 'When that batch was published or refused';

ALTER TABLE batch_failure
    MODIFY COMMENT 'Batches that were begun and not published, and why. Readers pass over the builds of days and the lists of files that they left';

CREATE TABLE IF NOT EXISTS project_command
(
    id        String               COMMENT 'Id of the command, as it stood in the control topic',
    rebuild   Bool                 COMMENT 'Build every day anew',
    asked_at  DateTime64(3, 'UTC') COMMENT 'When the projector received it'
)
ENGINE = MergeTree
ORDER BY id
COMMENT 'Commands to build that arrived. One that was received twice has two rows; those that are carried out stand in command_done';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
