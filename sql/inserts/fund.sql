INSERT INTO fact_fund
    (run, revision, source_sha256, source_line, manager_rut, manager, name, short_name, approved, resolution, kind, started,
     ended, moneda)
