-- Sign-ins with Google are those of one person there, not of whoever has the address.

-- +goose Up

-- One row for each account and identity provider, made by the first sign-in.
-- digest is the HMAC of issuer and subject: a provider never gives a subject to
-- another person, while an address may go to another one.
CREATE TABLE identities (
    digest     TEXT   NOT NULL PRIMARY KEY CHECK (length(digest) = 64),
    issuer     TEXT   NOT NULL,
    account_id TEXT   NOT NULL REFERENCES accounts (id),
    bound_at   BIGINT NOT NULL,
    UNIQUE (account_id, issuer)
);
