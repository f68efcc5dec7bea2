INSERT INTO fact_holding
    (run, month, market, revision, source_sha256, position, source_line, nemotecnico, issuer, issuer_rut, country, instrument,
     units, valuation_thousands, percent, moneda)
