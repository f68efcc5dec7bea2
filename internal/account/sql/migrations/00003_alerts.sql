-- Alerts: what was announced of which series, and mails that are given up.

-- +goose Up

-- A mail of a list waits behind those that somebody waits for, and goes unsent
-- when its person leaves the list. failure says why a mail was given up.
ALTER TABLE outbox ADD COLUMN list TEXT NOT NULL DEFAULT '';
ALTER TABLE outbox ADD COLUMN given_up_at BIGINT;
ALTER TABLE outbox ADD COLUMN failure TEXT;
DROP INDEX outbox_due;
CREATE INDEX outbox_due ON outbox (list, due_at, id) WHERE sealed IS NOT NULL;

-- One row for each batch whose events are in alert_event. handled_at is when
-- everybody concerned had a mail in the outbox; NULL: somebody may still lack one.
CREATE TABLE alert_batch (
    batch_id   TEXT   NOT NULL PRIMARY KEY,
    as_of      TEXT   CHECK (length(as_of) = 10), -- cutoff, YYYY-MM-DD; NULL: none
    found_at   BIGINT NOT NULL,
    handled_at BIGINT
);

-- What happened to series, as it was announced: later corrections change nothing
-- here. An event is a series, a kind and a date, whichever batch shows it. It has
-- a row for each id that finds the series, so that a watchlist need not know which
-- is the newest. Values are fractions.
CREATE TABLE alert_event (
    series_id    TEXT NOT NULL CHECK (length(series_id) BETWEEN 1 AND 36),
    kind         TEXT NOT NULL CHECK (kind IN ('tac', 'move', 'closed')),
    date         TEXT NOT NULL CHECK (length(date) = 10), -- YYYY-MM-DD
    batch_id     TEXT, -- the batch that announces it; NULL: nobody is mailed, it was known before
    current_id   TEXT NOT NULL,
    fund         TEXT NOT NULL,
    run          TEXT NOT NULL,
    serie        TEXT NOT NULL,
    value_before DOUBLE PRECISION,
    value_after  DOUBLE PRECISION,
    date_before  TEXT CHECK (length(date_before) = 10),
    PRIMARY KEY (series_id, kind, date)
);
CREATE INDEX alert_event_by_batch ON alert_event (batch_id);

-- One row for each closed month of which a summary goes out.
CREATE TABLE summary_month (
    month      TEXT   NOT NULL PRIMARY KEY CHECK (length(month) = 10), -- its last day, YYYY-MM-DD
    found_at   BIGINT NOT NULL,
    handled_at BIGINT
);
