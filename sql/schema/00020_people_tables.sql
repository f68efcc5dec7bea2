-- +goose Up

-- The comment of a table that holds more than the published batch says so, and names the
-- view with one row for each key. A sum over such a table would also count other kept
-- batches, superseded days or corrected rows.

ALTER TABLE classification MODIFY COMMENT 'What each series was classified as, and since when. Days before the first statement have the first one, with valid_from 1970-01-02 (RULES 7). Holds several batches: read current_classification';
ALTER TABLE continuation MODIFY COMMENT 'How the holdings of exchanged series go on in others, forward only and at most five hops far (RULES 1). A window uses the hops that are effective by its end. Holds several batches: read current_continuation';
ALTER TABLE continued_history MODIFY COMMENT 'The histories of exchanged series, each joined with those that its holdings go on in (RULES 1). Holds several batches: read current_continued_history';
ALTER TABLE series_day_version MODIFY COMMENT 'Which batch built which day of series_day, superseded ones too. Holds superseded days: read current_series_day, which takes the newest build of each day';
ALTER TABLE family_day MODIFY COMMENT 'Each family in each currency on each day. Holds superseded days: read current_family_day';
ALTER TABLE family_long_step MODIFY COMMENT 'Steps of families over days between, where the next day on which the family was quoted gave its index no point. Most days have none (RULES 7). Holds superseded days: read current_family_long_step';
ALTER TABLE fi_day MODIFY COMMENT 'One row per series of an investment fund and day, corrections resolved. Holds superseded days: read current_fi_day';
ALTER TABLE fi_day_version MODIFY COMMENT 'Which batch built which day of fi_day, superseded ones too. Holds superseded days: read current_fi_day, which takes the newest build of each day';
ALTER TABLE fi_instrument MODIFY COMMENT 'Instruments of investment funds: their series, and one row for each fund itself. Holds several batches: read current_fi_instrument';
ALTER TABLE fund MODIFY COMMENT 'Funds of every vehicle. Holds several batches: read current_fund';
ALTER TABLE index_day MODIFY COMMENT 'Indices of families by day, and which days are index dates (RULES 7). Holds several batches: read current_index_day; the points alone: current_family_index';
ALTER TABLE manager MODIFY COMMENT 'Managers (AGF). Holds several batches: read current_manager';
ALTER TABLE manager_day MODIFY COMMENT 'Each manager in each currency on each day. Holds superseded days: read current_manager_day';
ALTER TABLE market_day_version MODIFY COMMENT 'Which batch built which day of market_day, family_day and manager_day, superseded ones too. Holds superseded days: read current_market_day, current_family_day or current_manager_day, which take the newest build of each day';
ALTER TABLE market_day MODIFY COMMENT 'One row per series and day: price, changes, equity, flows, classification, outliers. Holds superseded days: read current_market_day';
ALTER TABLE series_month_version MODIFY COMMENT 'Which months of series_month a batch computed anew; the others are those of the batch before. Holds several batches: read current_series_month';
ALTER TABLE risk_month MODIFY COMMENT 'Risk snapshot of each series with a month-end quote, closed months only (RULES 5). Holds several batches: read current_risk_month';
ALTER TABLE screener MODIFY COMMENT 'One row per series alive at the cutoff: what the screener filters, sorts and shows. Holds several batches: read current_screener';
ALTER TABLE series MODIFY COMMENT 'Series of mutual funds that ever had a quote up to the cutoff. Holds several batches: read current_series';
ALTER TABLE series_day MODIFY COMMENT 'One row per series and day, corrections resolved. Holds superseded days: read current_series_day';
ALTER TABLE series_latest MODIFY COMMENT 'Latest day of each series, with its changes. Holds several batches: read current_series_latest';
ALTER TABLE series_month MODIFY COMMENT 'What the daily quotes of each series come to in each closed month. Holds several batches: read current_series_month';
ALTER TABLE series_rename MODIFY COMMENT 'Every rename that the files of a batch state, corrections resolved, and whether it is applied. Holds several batches: read current_series_rename';
ALTER TABLE series_return MODIFY COMMENT 'Price returns in accounting currency, eight windows a series, at the cutoff. Holds several batches: read current_series_return';
ALTER TABLE tac_month MODIFY COMMENT 'Cost rates of each series and month, one of each tac_kind. Holds several batches: read current_tac_month';
ALTER TABLE window_target MODIFY COMMENT 'Target dates of the windows of a batch, the same for every series. Holds several batches: read current_window_target';

-- A closed series is no longer in the newest catalogues.
ALTER TABLE series
    ADD COLUMN IF NOT EXISTS last_family   LowCardinality(Nullable(String)) COMMENT 'familia_rar that the newest comparator file to name one gives the series, closed or not: what survivorship is studied by; null where none ever did',
    ADD COLUMN IF NOT EXISTS last_category LowCardinality(Nullable(String)) COMMENT 'Category by the newest comparator file that gives one, else by the newest sheet of the association that does; null where none ever did';

-- Rejected rows are kept only for some time. For the existing rows, the revision is used as
-- their time of arrival.
ALTER TABLE rejected_row
    ADD COLUMN IF NOT EXISTS arrived_at DateTime('UTC') DEFAULT toDateTime(revision, 'UTC') COMMENT 'When the row came last: of the rows of complete files the newest 100,000 are kept (outdated_reject)',
    MODIFY COMMENT 'Rows that did not pass at ingest, the newest 100,000; nothing is dropped silently: manifest counts all of them';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
