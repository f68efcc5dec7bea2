INSERT INTO fact_quota
    (run, serie, date, revision, source_sha256, void, source_line, manager_rut, manager, moneda, quota, equity, total_assets,
     units_outstanding, units_contributed, units_redeemed, shareholders, institutional, institutional_fund, pension_fund,
     invests_in_funds, fixed_fee, variable_fee, affected_expenses, unaffected_expenses, subscription_fee, redemption_fee,
     adjustment_factor, distribution_factor)
