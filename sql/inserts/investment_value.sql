INSERT INTO fact_investment_value
    (run, serie, date, revision, source_sha256, void, source_line, moneda, book_value, economic_value, equity, total_assets,
     contributors, institutional, agency)
