-- The first schema: accounts, their API keys, and what each key spent per day.
--
-- One text for SQLite and PostgreSQL, so only what both understand alike:
-- instants are BIGINT Unix milliseconds (UTC), dates and digests are TEXT.

-- +goose Up

-- The pepper's fingerprint, one row: a store opened with another pepper would
-- call every key unknown, so it refuses to open instead.
CREATE TABLE pepper_fingerprint (
    id          INTEGER PRIMARY KEY CHECK (id = 1),
    fingerprint TEXT    NOT NULL CHECK (length(fingerprint) = 64)
);

CREATE TABLE accounts (
    id         TEXT   NOT NULL PRIMARY KEY,
    email      TEXT   NOT NULL UNIQUE CHECK (length(email) BETWEEN 3 AND 254),
    created_at BIGINT NOT NULL
);

-- digest is HMAC-SHA256(pepper, key) in hex. The key itself is never stored.
CREATE TABLE api_keys (
    id             TEXT    NOT NULL PRIMARY KEY,
    account_id     TEXT    NOT NULL REFERENCES accounts (id),
    digest         TEXT    NOT NULL UNIQUE CHECK (length(digest) = 64),
    last4          TEXT    NOT NULL CHECK (length(last4) = 4),
    name           TEXT,
    tier           TEXT    NOT NULL CHECK (tier IN ('free', 'institutional', 'internal')),
    daily_quota    BIGINT  CHECK (daily_quota >= 1),
    quota_enforced BOOLEAN NOT NULL,
    created_at     BIGINT  NOT NULL,
    revoked_at     BIGINT
);

-- One active key for each e-mail and tier, whatever the program does.
CREATE UNIQUE INDEX api_keys_one_active ON api_keys (account_id, tier) WHERE revoked_at IS NULL;

-- day is the local date in America/Santiago, YYYY-MM-DD.
CREATE TABLE daily_usage (
    key_id   TEXT   NOT NULL REFERENCES api_keys (id),
    day      TEXT   NOT NULL CHECK (length(day) = 10),
    requests BIGINT NOT NULL CHECK (requests >= 1),
    PRIMARY KEY (key_id, day)
);
