-- The account area: links by mail, sessions, Google sign-ins under way, the
-- watchlist, what a person wants to be mailed, and the outbox of mails.
--
-- Every secret that a person or a browser holds is here only as its HMAC under
-- the pepper. What was used or has expired is deleted, not marked.

-- +goose Up

-- Nobody is mailed anything that was not asked for.
ALTER TABLE accounts ADD COLUMN alerts BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE accounts ADD COLUMN monthly_summary BOOLEAN NOT NULL DEFAULT FALSE;

-- When its person had the account removed. What is left of it names nobody.
ALTER TABLE accounts ADD COLUMN forgotten_at BIGINT;

-- One row for each link that can still be used, and for each sign-in with
-- Google that a front end of another origin has yet to complete.
CREATE TABLE links (
    digest     TEXT   NOT NULL PRIMARY KEY CHECK (length(digest) = 64),
    purpose    TEXT   NOT NULL CHECK (purpose IN ('register', 'sign_in', 'hand_over')),
    email      TEXT   NOT NULL,
    return_url TEXT   NOT NULL,
    browser    TEXT   CHECK (length(browser) = 64), -- of the only browser that may use it; NULL: any
    expires_at BIGINT NOT NULL
);
CREATE INDEX links_by_expiry ON links (expires_at);
CREATE INDEX links_by_email ON links (email);

-- Links asked for by one e-mail or one network until ends_at. subject is an
-- HMAC: who asked is not kept.
CREATE TABLE link_requests (
    subject  TEXT   NOT NULL CHECK (length(subject) = 64),
    ends_at  BIGINT NOT NULL,
    requests BIGINT NOT NULL,
    PRIMARY KEY (subject, ends_at)
);
CREATE INDEX link_requests_by_end ON link_requests (ends_at);

CREATE TABLE sessions (
    digest     TEXT   NOT NULL PRIMARY KEY CHECK (length(digest) = 64),
    account_id TEXT   NOT NULL REFERENCES accounts (id),
    created_at BIGINT NOT NULL,
    seen_at    BIGINT NOT NULL
);
CREATE INDEX sessions_by_account ON sessions (account_id);

-- Sign-ins with Google that have left for Google and not come back.
CREATE TABLE oauth_states (
    digest     TEXT   NOT NULL PRIMARY KEY CHECK (length(digest) = 64),
    browser    TEXT   NOT NULL CHECK (length(browser) = 64),
    return_url TEXT   NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX oauth_states_by_expiry ON oauth_states (expires_at);

CREATE TABLE watchlist (
    account_id TEXT   NOT NULL REFERENCES accounts (id),
    series_id  TEXT   NOT NULL CHECK (length(series_id) BETWEEN 1 AND 36),
    added_at   BIGINT NOT NULL,
    PRIMARY KEY (account_id, series_id)
);

-- Mails that wait, and the ids of those that were sent. sealed is the message,
-- encrypted, and NULL once it was sent; recipient is the HMAC of its address.
CREATE TABLE outbox (
    id         TEXT   NOT NULL PRIMARY KEY,
    recipient  TEXT   NOT NULL CHECK (length(recipient) = 64),
    sealed     TEXT,
    created_at BIGINT NOT NULL,
    due_at     BIGINT NOT NULL,
    attempts   BIGINT NOT NULL,
    sent_at    BIGINT
);
CREATE INDEX outbox_due ON outbox (due_at, id) WHERE sealed IS NOT NULL;
CREATE INDEX outbox_by_recipient ON outbox (recipient);
