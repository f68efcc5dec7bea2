-- Saved screens: filters of the screener that a person keeps under a name.

-- +goose Up

-- query is the query string of the page /fondos. found are the ids of its series in the last
-- batch of which the person was told, separated by spaces; NULL: in none since it was saved.
CREATE TABLE saved_screens (
    account_id TEXT   NOT NULL REFERENCES accounts (id),
    name       TEXT   NOT NULL CHECK (length(name) BETWEEN 1 AND 80),
    query      TEXT   NOT NULL CHECK (length(query) <= 1000),
    added_at   BIGINT NOT NULL,
    found      TEXT,
    PRIMARY KEY (account_id, name)
);
