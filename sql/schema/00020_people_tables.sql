-- +goose Up

-- The comment of a table that holds more than the published batch says so, and names the
-- view with one row for each key. A sum over such a table would also count other kept
-- batches, superseded days or corrected rows.

ALTER TABLE batch_new_file MODIFY COMMENT 'Which files a batch is made of: those of its own number and of all before. Holds several batches: read batch_file';
ALTER TABLE classification MODIFY COMMENT 'What each series was classified as, and since when. Days before the first statement have the first one, with valid_from 1970-01-02 (RULES 7). Holds several batches: read current_classification';
ALTER TABLE continuation MODIFY COMMENT 'How the holdings of exchanged series go on in others, forward only and at most five hops far (RULES 1). A window uses the hops that are effective by its end. Holds several batches: read current_continuation';
ALTER TABLE continued_history MODIFY COMMENT 'The histories of exchanged series, each joined with those that its holdings go on in (RULES 1). Holds several batches: read current_continued_history';
ALTER TABLE market_completeness MODIFY COMMENT 'How complete the market is on each day. Holds several batches: read current_market_completeness';
ALTER TABLE series_day_version MODIFY COMMENT 'Which batch built which day of series_day, superseded ones too. Holds superseded days: read current_series_day, which takes the newest build of each day';
ALTER TABLE fact_article107 MODIFY COMMENT 'What fund regulations declare about article 107 of the income tax law, every revision. Freshness depends on the day and is computed by the reader. Holds every revision: read batch_article107';
ALTER TABLE fact_benchmark MODIFY COMMENT 'Catalogue of benchmarks: a family''s index, every revision. Holds every revision: read batch_benchmark';
ALTER TABLE fact_benchmark_price MODIFY COMMENT 'Closing prices of benchmarks, every revision. Holds every revision: read batch_benchmark_price';
ALTER TABLE fact_discontinuity MODIFY COMMENT 'Known breaks of series: known_discontinuity (RULES 1); every revision. Holds every revision: read batch_curated_discontinuity';
ALTER TABLE fact_exchange MODIFY COMMENT 'Exchanges (canjes) of one series'' quotas for another''s, every revision; followed forward only (RULES 1). Holds every revision: read batch_exchange';
ALTER TABLE fact_factor MODIFY COMMENT 'Verified factors, one row a calendar day, from which total returns are computed; every revision. Holds every revision: read factor_history_as_of';
ALTER TABLE fact_fund MODIFY COMMENT 'Register of mutual funds, every revision. Holds every revision: read batch_fund';
ALTER TABLE fact_holding MODIFY COMMENT 'Portfolios at the close of a month. One file holds all positions of a (run, month, market), so the newest file replaces the others as a whole and positions of two files are never joined. Holds every revision: read batch_holding';
ALTER TABLE fact_indicator MODIFY COMMENT 'UF and dólar observado, every revision. Holds every revision: read batch_indicator';
ALTER TABLE fact_investment_fund MODIFY COMMENT 'Register of investment funds, every revision. Holds every revision: read batch_investment_fund';
ALTER TABLE fact_investment_value MODIFY COMMENT 'Daily book values of investment funds by series, every revision. Holds every revision: read batch_investment_value';
ALTER TABLE fact_monthly_tac MODIFY COMMENT 'The regulator''s monthly cost sheet: real TAC by series and month, every revision. It has names and no RUN. Holds every revision: read batch_stated_tac';
ALTER TABLE fact_official_return MODIFY COMMENT 'The regulator''s return comparator: families, investor class, spheres, official returns. Holds every revision: read series_official_return_as_of';
ALTER TABLE fact_quota MODIFY COMMENT 'Cartola rows: one series on one day, every revision. Holds every revision: read batch_quota';
ALTER TABLE fact_rename MODIFY COMMENT 'Series that go on under another name, one identity under both (RULES 1); every revision. Holds every revision: read batch_rename';
ALTER TABLE fact_aafm_daily MODIFY COMMENT 'Daily sheet of the mutual-fund association, every revision. Holds every revision: read batch_aafm_daily';
ALTER TABLE fact_tac MODIFY COMMENT 'Cost rates by series and month, every revision. Holds every revision: read batch_stated_tac';
ALTER TABLE fact_vehicle MODIFY COMMENT 'Which funds are exchange-traded, curated; every revision. Holds every revision: read batch_vehicle';
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
ALTER TABLE quota_manager MODIFY COMMENT 'Who manages each fund by the new cartolas of each batch. Holds several batches: read batch_manager';
ALTER TABLE fx_uf_rate MODIFY COMMENT 'What quotes of each calendar day are converted with (RULES 1). Holds several batches: read current_fx_uf_rate';
ALTER TABLE risk_month MODIFY COMMENT 'Risk snapshot of each series with a month-end quote, closed months only (RULES 5). Holds several batches: read current_risk_month';
ALTER TABLE screener MODIFY COMMENT 'One row per series alive at the cutoff: what the screener filters, sorts and shows. Holds several batches: read current_screener';
ALTER TABLE series MODIFY COMMENT 'Series of mutual funds that ever had a quote up to the cutoff. Holds several batches: read current_series';
ALTER TABLE discontinuity MODIFY COMMENT 'Days across which a price return would be meaningless (RULES 1). Holds several batches: read current_discontinuity';
ALTER TABLE series_day MODIFY COMMENT 'One row per series and day, corrections resolved. Holds superseded days: read current_series_day';
ALTER TABLE series_label MODIFY COMMENT 'The names of renamed series. Series that never changed their name have no row: see batch_series_name. Holds several batches: read current_series_label';
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
