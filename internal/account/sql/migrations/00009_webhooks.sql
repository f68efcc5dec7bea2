-- Webhooks: addresses that are told of each publication, what they are told, and what came of it.

-- +goose Up

-- address is encrypted, because addresses of receivers often contain secrets. failing_since is
-- when the first attempt failed since one succeeded; NULL: none. A disabled webhook gets nothing.
CREATE TABLE webhooks (
    id              TEXT   NOT NULL PRIMARY KEY,
    account_id      TEXT   NOT NULL REFERENCES accounts (id),
    address         TEXT   NOT NULL,
    created_at      BIGINT NOT NULL,
    failing_since   BIGINT,
    disabled_at     BIGINT,
    disabled_reason TEXT   CHECK (disabled_reason IN ('gone', 'failing'))
);
CREATE INDEX webhooks_of_account ON webhooks (account_id);

-- Secrets that sign, encrypted. ends_at is until when one signs that was replaced; NULL: it is
-- the current one.
CREATE TABLE webhook_secrets (
    id         TEXT   NOT NULL PRIMARY KEY,
    webhook_id TEXT   NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    sealed     TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    ends_at    BIGINT
);
CREATE UNIQUE INDEX webhook_secrets_one_current ON webhook_secrets (webhook_id) WHERE ends_at IS NULL;
CREATE INDEX webhook_secrets_by_webhook ON webhook_secrets (webhook_id);

-- What is told. The body is sent as it is, the same in each attempt. batch_id is NULL for a test.
CREATE TABLE webhook_events (
    id         TEXT   NOT NULL PRIMARY KEY,
    type       TEXT   NOT NULL CHECK (type IN ('batch.published', 'webhook.test')),
    batch_id   TEXT,
    body       TEXT   NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX webhook_events_by_age ON webhook_events (created_at);

-- One event for one webhook. due_at is when it is tried next, or until when a process has it alone
-- that tries it now; NULL: it is not tried any more, and ended says why. The other columns are of
-- the last attempt: status is that of HTTP, failure says what went wrong, and reply is the
-- beginning of what was answered.
CREATE TABLE webhook_deliveries (
    webhook_id TEXT   NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    event_id   TEXT   NOT NULL REFERENCES webhook_events (id),
    created_at BIGINT NOT NULL,
    due_at     BIGINT,
    attempts   BIGINT NOT NULL,
    tried_at   BIGINT,
    status     BIGINT,
    failure    TEXT,
    reply      TEXT,
    ended      TEXT   CHECK (ended IN ('delivered', 'given_up', 'disabled')),
    ended_at   BIGINT,
    PRIMARY KEY (webhook_id, event_id),
    CHECK ((due_at IS NULL) = (ended IS NOT NULL))
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (attempts, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (event_id);
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at);
