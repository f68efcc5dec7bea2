-- +goose Up

-- natural_key tells apart the facts of a file, and takes no space. A statement counts the
-- facts of every table that has this column, so that a new table is in no list. fact_quota
-- and fact_investment_value, which have void days, do not have the column: statements count
-- them in parts of their own.

ALTER TABLE fact_fund ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(run) COMMENT 'Hash of the natural key: run. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_tac ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(run, serie, date, kind) COMMENT 'Hash of the natural key: run, serie, date, kind. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_official_return ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(run, serie, date) COMMENT 'Hash of the natural key: run, serie, date. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_aafm_daily ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(run, serie, date) COMMENT 'Hash of the natural key: run, serie, date. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_indicator ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(code, date) COMMENT 'Hash of the natural key: code, date. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_investment_fund ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(run) COMMENT 'Hash of the natural key: run. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_monthly_tac ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(manager_words, fund_words, serie, date) COMMENT 'Hash of the natural key: manager_words, fund_words, serie, date. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_holding ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(run, month, market, position) COMMENT 'Hash of the natural key: run, month, market, position. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_benchmark ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(family_rar, symbol) COMMENT 'Hash of the natural key: family_rar, symbol. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_benchmark_price ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(symbol, date) COMMENT 'Hash of the natural key: symbol, date. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_article107 ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(run) COMMENT 'Hash of the natural key: run. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_factor ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(run, serie, date, source_line) COMMENT 'Hash of the natural key: run, serie, date, source_line. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_exchange ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(event_id, event_revision) COMMENT 'Hash of the natural key: event_id, event_revision. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_rename ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(run, previous_serie) COMMENT 'Hash of the natural key: run, previous_serie. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_discontinuity ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(run, serie, date) COMMENT 'Hash of the natural key: run, serie, date. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_risk_free ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(name, date) COMMENT 'Hash of the natural key: name, date. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_vehicle ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(run) COMMENT 'Hash of the natural key: run. Two rows of a file with the same hash are one fact';

-- +goose Down
SELECT throwIf(true, 'facts are the durable history: no way down');
