INSERT INTO fact_benchmark
    (family_rar, symbol, revision, source_sha256, source_line, index_name, instrument_name, native_currency, asset_class, active)
