-- +goose Up

-- The flow of a calendar day has one half only where redemptions are stated on the last day before the next business
-- day. So people see the flow of a business day (RULES 8). In days that were built before, it is null.

ALTER TABLE market_day
    ADD COLUMN IF NOT EXISTS business_flow Nullable(Float64)
        COMMENT 'Net contribution of the business day that begins on this day, full units of the series currency; null: none begins, or it is not complete',
    ADD COLUMN IF NOT EXISTS business_until Nullable(Date)
        COMMENT 'Last calendar day of that business day; null where business_flow is',
    ADD COLUMN IF NOT EXISTS flow_reason LowCardinality(String)
        COMMENT 'Why business_flow is null: incomplete_business_day, or not_a_business_day where it is part of the one before; empty where it is known';

ALTER TABLE market_day COMMENT COLUMN flow
    'Net contribution that the row of the day states, quotas contributed less redeemed at the quota of the day, full units of the series currency: on the eve of days without business it is one half (business_flow)';

ALTER TABLE flow_day
    ADD COLUMN IF NOT EXISTS opening Array(LowCardinality(String))
        COMMENT 'Currencies of which a business day begins on the day: most series with a flow have contributions',
    ADD COLUMN IF NOT EXISTS closing Array(LowCardinality(String))
        COMMENT 'Currencies of which a business day may end on the day: most series with a flow have redemptions';

ALTER TABLE flow_day COMMENT COLUMN daily_known
    'Of these, those whose net contribution of the newest business day is known from rows up to the day';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
