-- Links to one address of the API, for programs that can't send a header with a key.

-- +goose Up

-- digest is HMAC-SHA256(pepper, token) in hex. The token itself is never stored.
-- address is the path and the query string that the link answers. Its requests
-- are counted on the key, and it ends with it.
CREATE TABLE address_links (
    id         TEXT   NOT NULL PRIMARY KEY,
    digest     TEXT   NOT NULL UNIQUE CHECK (length(digest) = 64),
    key_id     TEXT   NOT NULL REFERENCES api_keys (id),
    address    TEXT   NOT NULL CHECK (length(address) BETWEEN 1 AND 2000),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT
);

CREATE INDEX address_links_of_key ON address_links (key_id);
