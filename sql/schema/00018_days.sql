-- +goose Up

-- Until which day a row counts for its series if no newer row follows, and which days have
-- data. A row of an older build counts only on its own day. In an older batch, the days
-- with data are the complete days.

ALTER TABLE market_day
    ADD COLUMN IF NOT EXISTS stands_until Date DEFAULT date
        COMMENT 'Last day on which the row stands for its series: that before the next row, before the fund ended or before its quotas were exchanged, and at most 7 days after its own'
        AFTER series_id;

ALTER TABLE family_day
    COMMENT COLUMN equity 'Equity of the rows that stand for its series that day, full units of currency',
    COMMENT COLUMN series 'Series for which a row with a quote stands that day',
    COMMENT COLUMN previous_date 'Last day before on which the family was quoted in the currency, at most 7 days earlier; it need not be an index date (index_day). Null where none of its series is quoted that day';

ALTER TABLE manager_day
    COMMENT COLUMN equity 'Equity of the rows that stand for its series that day, in that currency, full units of it',
    COMMENT COLUMN series 'Series for which a row with a quote stands that day';

ALTER TABLE series
    COMMENT COLUMN current 'Quoted within 7 days of the cutoff, and neither its fund ended nor its quotas exchanged by then';

ALTER TABLE market_completeness
    ADD COLUMN IF NOT EXISTS void_series UInt32
        COMMENT 'Of the present series, those whose row of the day is void'
        AFTER present_series,
    ADD COLUMN IF NOT EXISTS has_data Bool DEFAULT complete
        COMMENT 'At least half of the prior series, and one series at all, have a quote that day: views of the market answer for it'
        AFTER present_equity_clp,
    COMMENT COLUMN date 'Day with at least one row',
    COMMENT COLUMN prior_series 'Series with a quote in the seven days before, or in the seven days up to the last day with any row',
    COMMENT COLUMN present_series 'Of these, with a row that day, void ones included: what was published and rejected has been reported',
    COMMENT COLUMN prior_equity_clp 'Equity of the prior series at their last quote before the day, CLP; dollars at the dólar observado of that quote''s day or of at most 7 days before; others left out',
    COMMENT COLUMN complete 'The day has data, present is at least 98 % of prior series and 99 % of their equity, and void at most one series or 2 % of prior; the very first day is, with a quote (RULES 1)';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
