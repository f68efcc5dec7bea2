INSERT INTO fact_aafm_daily
    (run, serie, date, revision, source_sha256, source_line, manager, fund, bloomberg, category, apv, currency, equity_clp,
     quota, units_outstanding, units_contributed, units_redeemed, shareholders)
