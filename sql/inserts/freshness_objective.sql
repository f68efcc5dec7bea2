INSERT INTO freshness_objective (dataset, period, days, set_at)
