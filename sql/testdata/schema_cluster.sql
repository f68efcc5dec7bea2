-- tables

CREATE TABLE IF NOT EXISTS batch_attempt ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS batch_new_file ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS batch ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS batch_plan ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS plan_attempt ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS plan_built ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS batch_failure ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS batch_progress ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS batch_table ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS batch_damage ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS retired_batch ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS publication ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', published_at)
CREATE TABLE IF NOT EXISTS project_command ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS command_done ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS series_day_version ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS series_day ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS fi_day_version ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS fi_day ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS discontinuity ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS market_completeness ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS continuation ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS continued_history ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS fx_uf_rate ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS series_step ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS later_row ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS fact_aafm_daily ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
CREATE TABLE IF NOT EXISTS fact_article107 ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
CREATE TABLE IF NOT EXISTS fact_benchmark ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
CREATE TABLE IF NOT EXISTS fact_benchmark_price ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
CREATE TABLE IF NOT EXISTS fact_discontinuity ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
CREATE TABLE IF NOT EXISTS fact_end ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
CREATE TABLE IF NOT EXISTS fact_exchange ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
CREATE TABLE IF NOT EXISTS fact_factor ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
CREATE TABLE IF NOT EXISTS fact_fund ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
CREATE TABLE IF NOT EXISTS fact_holding ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
CREATE TABLE IF NOT EXISTS fact_indicator ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
CREATE TABLE IF NOT EXISTS fact_investment_fund ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
CREATE TABLE IF NOT EXISTS fact_investment_value ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
CREATE TABLE IF NOT EXISTS fact_monthly_tac ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
CREATE TABLE IF NOT EXISTS fact_official_return ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
CREATE TABLE IF NOT EXISTS fact_quota ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
CREATE TABLE IF NOT EXISTS fact_rename ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
CREATE TABLE IF NOT EXISTS fact_risk_free ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
CREATE TABLE IF NOT EXISTS fact_tac ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
CREATE TABLE IF NOT EXISTS fact_vehicle ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
CREATE TABLE IF NOT EXISTS manifest ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', revision)
CREATE TABLE IF NOT EXISTS complete_file ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', revision)
CREATE TABLE IF NOT EXISTS rejected_row ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', revision)
CREATE TABLE IF NOT EXISTS file_judgement ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', judged_at)
CREATE TABLE IF NOT EXISTS freshness_objective ON CLUSTER 'replicas'
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', set_at)
CREATE TABLE IF NOT EXISTS classification ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS eligibility ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS market_day_version ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS market_day ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS family_day ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS family_long_step ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS index_day ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS manager_day ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS flow_day ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS candidate_day ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS series_month_version ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS series_month ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS tac_month ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS risk_month ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS registry ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS registry_copy ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS quota_series ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS quota_manager ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS series_rename ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS series_label ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS return_day_version ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS standing_quote ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS return_day ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS summary_day_version ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS summary_family ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS summary_mover ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS manager ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS fund ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS series ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS series_latest ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS series_return ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS screener ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS window_target ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS fi_instrument ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
CREATE TABLE IF NOT EXISTS schema_version ON CLUSTER 'replicas'
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')

-- functions

CREATE OR REPLACE FUNCTION cuota_annual ON CLUSTER 'replicas' AS (multiple, years) ->
CREATE OR REPLACE FUNCTION cuota_apv ON CLUSTER 'replicas' AS
CREATE OR REPLACE FUNCTION cuota_closed_month_end ON CLUSTER 'replicas' AS
CREATE OR REPLACE FUNCTION cuota_clp ON CLUSTER 'replicas' AS (currency, amount, dolar) -> multiIf(
CREATE OR REPLACE FUNCTION cuota_covered_mean ON CLUSTER 'replicas' AS
CREATE OR REPLACE FUNCTION cuota_covers ON CLUSTER 'replicas' AS
CREATE OR REPLACE FUNCTION cuota_currency ON CLUSTER 'replicas' AS (moneda) ->
CREATE OR REPLACE FUNCTION cuota_decimal_text ON CLUSTER 'replicas' AS (multiplier) ->
CREATE OR REPLACE FUNCTION cuota_decimals ON CLUSTER 'replicas' AS (number) ->
CREATE OR REPLACE FUNCTION cuota_due_on ON CLUSTER 'replicas' AS
CREATE OR REPLACE FUNCTION cuota_equity_share ON CLUSTER 'replicas' AS
CREATE OR REPLACE FUNCTION cuota_factors_believed ON CLUSTER 'replicas' AS (quota, adjustment, distribution, quota_before) ->
CREATE OR REPLACE FUNCTION cuota_fi_id ON CLUSTER 'replicas' AS (run, serie) -> arrayElement(arrayMap(
CREATE OR REPLACE FUNCTION cuota_fold ON CLUSTER 'replicas' AS (name) ->
CREATE OR REPLACE FUNCTION cuota_market_report ON CLUSTER 'replicas' AS
CREATE OR REPLACE FUNCTION cuota_packed_quote ON CLUSTER 'replicas' AS
CREATE OR REPLACE FUNCTION cuota_product ON CLUSTER 'replicas' AS (factors) ->
CREATE OR REPLACE FUNCTION cuota_quote_reason ON CLUSTER 'replicas' AS
CREATE OR REPLACE FUNCTION cuota_rate_reason ON CLUSTER 'replicas' AS
CREATE OR REPLACE FUNCTION cuota_real ON CLUSTER 'replicas' AS (multiple, uf_start, uf_end, years) ->
CREATE OR REPLACE FUNCTION cuota_rol ON CLUSTER 'replicas' AS (n) -> concat(
CREATE OR REPLACE FUNCTION cuota_series_current ON CLUSTER 'replicas' AS (quoted, newest, day, fund_ended, other_ends) ->
CREATE OR REPLACE FUNCTION cuota_spheres_reason ON CLUSTER 'replicas' AS
CREATE OR REPLACE FUNCTION cuota_unpacked_quote ON CLUSTER 'replicas' AS
CREATE OR REPLACE FUNCTION cuota_valued ON CLUSTER 'replicas' AS (valuation, multiple, years, in_dollars, fx_start, fx_end, uf_start, uf_end) ->
CREATE OR REPLACE FUNCTION cuota_weighted_mean ON CLUSTER 'replicas' AS
CREATE OR REPLACE FUNCTION cuota_windows ON CLUSTER 'replicas' AS
CREATE OR REPLACE FUNCTION cuota_words ON CLUSTER 'replicas' AS (name) ->

-- views

CREATE OR REPLACE VIEW batch_file ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_cartola_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW category_name ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW plan_batch ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_series_name ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_outranked_quota ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_fi_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_fi_quote ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_series_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_indicator ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW tac_as_of ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_aafm_daily ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_fund ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_investment_fund ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_investment_value ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_quota ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_rename ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_tac ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_vehicle ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW keyed_fact_table ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW official_return_as_of ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_curated_discontinuity ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_exchange ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW noted_file ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW series_official_return_as_of ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_article107 ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_benchmark ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_benchmark_price ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_holding ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_official_return ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW file_state ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW arrived_keys ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_later_statement ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW dataset_due ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW file_finding ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_later_row ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_manager ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_cost_month ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_manager_key ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_registry_key ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_dolar ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_tac_statement ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW doubled_id ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_stated_tac ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_manager_by_name ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_return_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_discontinuity_quote ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_manager_alias ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW window_endpoints ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_series_step ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW joined_history_as_of ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_stored_return ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW factor_history_as_of ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_price_return ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_valued_return ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_total_return ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW all_price_return_as_of ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW price_return_as_of ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW all_valued_return_as_of ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW valued_return_as_of ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW all_total_return_as_of ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW total_return_as_of ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_reconciliation ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_flow_direction ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_tac_rate ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_market_change ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_tac_history ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW eligibility_as_of ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW risk_as_of ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_screener ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_series_end ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_tac_change ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_tac_latest_month ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW outlier_cap ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_flow_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_market_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_unjudged_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_known_flow ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_manager_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_market_standing ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_universe ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_candidate_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_family_change ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_family_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_family_long_step ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_family_index ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_family_month_return ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_family_summary ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_mover ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW alert_threshold ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_fi_market ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_recomputed_risk_month ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_watchable_series ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_alert ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW built_table ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_day_row_count ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_row_count ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW fact_row_count ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW outdated_reject ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW rejection ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW superseded_build ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW published ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW published_batch ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_known_at ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_candidate_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_classification ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_continuation ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_continued_history ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_discontinuity ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_eligibility ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_family_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_family_index ON CLUSTER 'replicas'
CREATE OR REPLACE VIEW current_family_long_step ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_fi_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_fi_instrument ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_flow_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_fund ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_fx_uf_rate ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_index_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_later_row ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_manager ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_manager_day ON CLUSTER 'replicas'
CREATE OR REPLACE VIEW current_market_completeness ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_market_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_return_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_risk_month ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_screener ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_series ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_series_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_series_label ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_series_latest ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_series_month ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_series_rename ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_series_return ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_series_step ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_standing_quote ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_summary_family ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_summary_mover ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_tac_month ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_window_target ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW seen_file ON CLUSTER 'replicas' AS
