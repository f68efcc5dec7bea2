INSERT INTO fact_monthly_tac
    (date, manager_words, fund_words, serie, revision, source_sha256, source_line, manager, fund, fund_type, moneda, features,
     fixed_fee, variable_fee, operating_expenses, fixed_percent, variable_percent, expenses_percent, total_percent,
     placement_terms, placement_fee, deferred_terms, deferred_fee)
