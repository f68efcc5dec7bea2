-- The columns by which the screener filters and sorts, and what it shows: one row for each
-- series alive at the cutoff, with its eight windows in columns.
INSERT INTO screener
    (batch, series_id, fund_id, run, serie, manager_id, manager, fund, category, family_rar, family_display, family_studies,
     class_dated, classification_date, class_tac, currency, tac, tac_kind, tac_date, price, price_date, daily_change, monthly_change,
     equity, previous_equity, month_equity, shareholders,
     spheres, spheres_reason, spheres_date, spheres_loaded_at, spheres_sha256,
     return_1m, return_3m, return_6m, return_1y, return_ytd, return_3y_ann, return_5y_ann, return_last_closed_month, currency_last_closed_month,
     reason_1m, reason_3m, reason_6m, reason_1y, reason_ytd, reason_3y_ann, reason_5y_ann, reason_last_closed_month,
     start_1m, start_3m, start_6m, start_1y, start_ytd, start_3y_ann, start_5y_ann, start_last_closed_month,
     end_1m, end_3m, end_6m, end_1y, end_ytd, end_3y_ann, end_5y_ann, end_last_closed_month,
     volatility_monthly_12m, volatility_monthly_36m, volatility_annualized_12m, volatility_annualized_36m, max_drawdown_36m,
     risk_score, risk_level, risk_date, risk_method_version,
     previous_serie, current_serie, first_current_date, alias_ids)
WITH
    windows AS
    (
        SELECT
            series_id,
            anyIf(value, window = '{window}') AS return_{window},
            anyIf(currency, window = 'last_closed_month') AS currency_last_closed_month,
            anyIf(reason, window = '{window}') AS reason_{window},
            anyIf(effective_start, window = '{window}') AS start_{window},
            anyIf(effective_end, window = '{window}') AS end_{window}
        FROM series_return
        WHERE batch = {batch:UInt64}
        GROUP BY series_id
    )
SELECT
    {batch:UInt64}, series.series_id, series.fund_id, series.run, series.serie, funds.manager_id, funds.manager, funds.name,
    series.category, series.family_rar, series.family_display, series.family_studies,
    series.class_dated, series.classification_date, series.class_tac, series.currency, series.tac, series.tac_kind, series.tac_date,
    latest.quota, latest.date, latest.daily_change, latest.monthly_change,
    latest.equity, latest.previous_equity, latest.month_equity, latest.shareholders,
    series.spheres, series.spheres_reason, series.spheres_date, series.spheres_loaded_at, series.spheres_sha256,
    windows.return_{window},
    windows.currency_last_closed_month,
    windows.reason_{window},
    windows.start_{window},
    windows.end_{window},
    risk.volatility_monthly_12m, risk.volatility_monthly_36m, risk.volatility_annualized_12m, risk.volatility_annualized_36m, risk.max_drawdown_36m,
    risk.risk_score, risk.risk_level, if(risk.series_id = 0, NULL, risk.month), nullIf(risk.method_version, ''),
    series.previous_serie, series.current_serie, series.first_current_date, series.alias_ids
FROM (SELECT * FROM series WHERE batch = {batch:UInt64} AND current) AS series
INNER JOIN (SELECT * FROM series_latest WHERE batch = {batch:UInt64}) AS latest ON latest.series_id = series.series_id
INNER JOIN (SELECT * FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = series.fund_id
INNER JOIN windows ON windows.series_id = series.series_id
LEFT JOIN risk_as_of(batch = {batch:UInt64}, as_of = {as_of:Date}, series = [], all_series = true) AS risk ON risk.series_id = series.series_id
