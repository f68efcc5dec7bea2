INSERT INTO fact_tac
    (run, serie, date, kind, revision, source_sha256, source_line, percent, investor_class, moneda, fund, manager, digital,
     equity_stated)
