INSERT INTO fact_official_return
    (run, serie, date, revision, source_sha256, source_line, family_rar, family_display, family_studies, investor_class, fund,
     manager, digital, spheres, nominal_1y, real_1y, nominal_3y, real_3y, nominal_5y, real_5y, nominal_10y, real_10y)
