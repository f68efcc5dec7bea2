-- The statements that drop the views of earlier versions of the program whose names are no
-- longer used, and what an interrupted CREATE OR REPLACE VIEW has left: ClickHouse first
-- makes the new view under a name of its own. Views that others made are kept.
SELECT concat('DROP TABLE IF EXISTS `', name, '`') AS statement
FROM system.tables
WHERE database = currentDatabase()
  AND (startsWith(name, '_tmp_replace_') OR engine = 'View' AND name IN
    (
        'adjusted_return_at', 'adjusted_return_of', 'alert_of', 'all_adjusted_return_at',
        'all_price_return_at', 'all_total_return_at', 'arrived_keys_of', 'article107_of',
        'batch_rows_of', 'benchmark_of', 'benchmark_price_of', 'break_quote_of', 'day_rows_of',
        'discontinuity_of', 'dolar_of', 'exchange_of', 'fact_rows', 'fact_rows_of',
        'factor_history_of', 'family_change_of', 'family_day_of', 'family_index_of',
        'family_long_step_of', 'family_month_return_of', 'family_point_of', 'family_summary_of',
        'fi_day_of', 'fi_market_of', 'fi_quote_of', 'fund_of', 'holding_of', 'indicator_of',
        'investment_fund_of', 'investment_value_of', 'joined_history_at', 'label_of',
        'manager_alias_of', 'manager_candidate', 'manager_day_of', 'manager_named_of',
        'manager_of', 'market_change_of', 'market_day_of', 'market_standing_of', 'mover_of',
        'official_return_at', 'official_return_of', 'outranked_quota_of', 'price_return_at',
        'price_return_of', 'quota_of', 'quote_pick_at', 'rate_of', 'registry_candidate',
        'rename_of', 'risk_of', 'risk_reached_of', 'series_day_of', 'series_end_of', 'sheet_of',
        'source_of', 'superseded_day', 'tac_at', 'tac_changes_of', 'tac_history_of',
        'tac_latest_month_of', 'tac_of', 'tac_rate_of', 'tac_stated_of', 'total_return_at',
        'total_return_of', 'universe_of', 'vehicle_of', 'watchable_of'
    ))
ORDER BY name
