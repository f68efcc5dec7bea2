-- A key that replaces another goes on with its count: a new key is no new quota.

-- +goose Up

-- The first of the keys that this one replaced, one after the other: requests
-- of them all are counted in daily_usage under its id. NULL: it replaced none.
ALTER TABLE api_keys ADD COLUMN counted_as TEXT REFERENCES api_keys (id);
