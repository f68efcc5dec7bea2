-- +goose Up

-- The tables of days are ordered by day, because the program reads whole days. People ask for the history of one series
-- too, so each day is stored a second time in the order of the series, as a projection, which ClickHouse chooses by itself
-- (docs/decisions/0067-a-second-order-by-series.md). A delete of superseded builds changes both orders.

ALTER TABLE market_day MODIFY SETTING lightweight_mutation_projection_mode = 'rebuild';

ALTER TABLE market_day ADD PROJECTION IF NOT EXISTS by_series
(
    SELECT
        series_id, date, build, currency, price, equity, shareholders, business_flow, business_until, flow_reason,
        previous_date, daily_change, daily_outlier, spike, month_date, monthly_change, monthly_outlier,
        family_rar, category, classified_later
    ORDER BY series_id, date, build
)
WITH SETTINGS (index_granularity = 128);

ALTER TABLE market_day MATERIALIZE PROJECTION IF EXISTS by_series;

ALTER TABLE return_day MODIFY SETTING lightweight_mutation_projection_mode = 'rebuild';

ALTER TABLE return_day ADD PROJECTION IF NOT EXISTS by_series
(
    SELECT
        series_id, date, build, effective_end, currency, month_effective_end, month_currency,
        return_1m, return_3m, return_6m, return_1y, return_ytd, return_3y_ann, return_5y_ann, return_last_closed_month,
        reason_1m, reason_3m, reason_6m, reason_1y, reason_ytd, reason_3y_ann, reason_5y_ann, reason_last_closed_month,
        start_1m, start_3m, start_6m, start_1y, start_ytd, start_3y_ann, start_5y_ann, start_last_closed_month
    ORDER BY series_id, date, build
)
WITH SETTINGS (index_granularity = 128);

ALTER TABLE return_day MATERIALIZE PROJECTION IF EXISTS by_series;

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
