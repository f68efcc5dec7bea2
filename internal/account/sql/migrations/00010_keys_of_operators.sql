-- Keys that an operator makes: several of one tier under names, for parts of the interface, and
-- with an end, so that a key and the one that replaces it both answer for a while.

-- +goose Up

-- Words with a space between them, see Scopes. NULL: everything.
ALTER TABLE api_keys ADD COLUMN scopes TEXT;
-- When the key stops answering, because another one has taken its place. NULL: no end is set.
ALTER TABLE api_keys ADD COLUMN expires_at BIGINT;
-- The latest local date in America/Santiago, YYYY-MM-DD, on which a request of the key was counted,
-- or that of a link. NULL: none since this column exists.
ALTER TABLE api_keys ADD COLUMN used_on TEXT CHECK (length(used_on) = 10);
ALTER TABLE address_links ADD COLUMN used_on TEXT CHECK (length(used_on) = 10);

-- One free key for each e-mail, and one key without an end for each tier and name, whatever the
-- program does.
DROP INDEX api_keys_one_active;
CREATE UNIQUE INDEX api_keys_one_free ON api_keys (account_id) WHERE tier = 'free' AND revoked_at IS NULL;
CREATE UNIQUE INDEX api_keys_one_by_name ON api_keys (account_id, tier, (COALESCE(name, '')))
    WHERE revoked_at IS NULL AND expires_at IS NULL;
