-- +goose Up

-- The comments of tables name the views of today. The program renames the tables themselves
-- before it runs the migrations (docs/decisions/0032-migrations-can-be-run-again.md).

ALTER TABLE batch_new_file MODIFY COMMENT 'Which files a batch is made of: those of its own number and of all before. Holds several batches: read batch_file';
ALTER TABLE market_completeness MODIFY COMMENT 'How complete the market is on each day. Holds several batches: read current_market_completeness';
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
ALTER TABLE quota_manager MODIFY COMMENT 'Who manages each fund by the new cartolas of each batch. Holds several batches: read batch_manager';
ALTER TABLE fx_uf_rate MODIFY COMMENT 'What quotes of each calendar day are converted with (RULES 1). Holds several batches: read current_fx_uf_rate';
ALTER TABLE discontinuity MODIFY COMMENT 'Days across which a price return would be meaningless (RULES 1). Holds several batches: read current_discontinuity';
ALTER TABLE series_label MODIFY COMMENT 'The names of renamed series. Series that never changed their name have no row: see batch_series_name. Holds several batches: read current_series_label';
ALTER TABLE continued_history COMMENT COLUMN breaks 'Breaks inside that history as in discontinuity, but adjustments; those between two parts belong to the later one';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
