INSERT INTO fact_investment_fund (run, revision, source_sha256, source_line, name, manager, kind, closed)
