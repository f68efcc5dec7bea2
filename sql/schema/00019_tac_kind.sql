-- +goose Up

-- A cost rate has a kind: synthetic, stated or computed. From here on, a stated and a
-- computed real rate of the same month are both kept, so that a change compares two rates
-- of one kind.

ALTER TABLE tac_month
    ADD COLUMN IF NOT EXISTS tac_kind LowCardinality(String) DEFAULT if(kind = 'synthetic', kind, source)
        COMMENT 'synthetic: stated, and counts the costs of underlying funds. stated, computed: the source of a rate that does not. Rates of different kinds do not compare',
    ADD COLUMN IF NOT EXISTS decimals Nullable(UInt8)
        COMMENT 'Decimals that the percentages of the stating file are published with: as many as its finest, at least 2; null when computed. A difference below half of the last is rounding',
    COMMENT COLUMN source 'stated: by a published file; computed: from the daily costs of the cartola. A month may have both',
    COMMENT COLUMN cost_days 'Daily values in the mean of a computed rate: a month needs 15, else it has none; 0 when stated';

ALTER TABLE screener
    ADD COLUMN IF NOT EXISTS tac_kind LowCardinality(Nullable(String))
        COMMENT 'synthetic, stated or computed, of tac; null without a rate. Kinds do not compare: tac_month.tac_kind'
        AFTER tac;

ALTER TABLE series
    COMMENT COLUMN tac_kind 'synthetic, stated or computed; null without a rate. Kinds do not compare: tac_month.tac_kind';

-- For the existing batches.
ALTER TABLE series
    UPDATE tac_kind = if((batch, series_id, ifNull(tac_date, toDate(0))) IN (SELECT batch, series_id, month FROM tac_month WHERE tac_kind = 'stated'), 'stated', 'computed')
    WHERE tac_kind = 'real'
    SETTINGS mutations_sync = 1;

ALTER TABLE screener
    UPDATE tac_kind = multiIf((batch, series_id) IN (SELECT batch, series_id FROM series WHERE tac_kind = 'synthetic'), 'synthetic',
                              (batch, series_id) IN (SELECT batch, series_id FROM series WHERE tac_kind = 'stated'),    'stated',
                              'computed')
    WHERE tac IS NOT NULL
    SETTINGS mutations_sync = 1;

-- These comments state rules that were valid before, in the place where readers look for
-- them.

ALTER TABLE series_month
    COMMENT COLUMN cost_days 'Days of the month with a daily TAC. With fewer than 15 the month has no computed rate (tac_month)';

ALTER TABLE risk_month
    COMMENT COLUMN volatility_monthly_12m 'Sample standard deviation of the last 12 monthly returns, fraction, adjusted by the factors that the cartola states; price returns (series_return) are not; null unless all are known',
    COMMENT COLUMN max_drawdown_36m 'Deepest fall below an earlier daily quote of the 36 months, fraction, 0 or less, adjusted by the factors that the cartola states; price returns (series_return) are not; null unless all 36 monthly returns are known',
    COMMENT COLUMN risk_score '100 times the mean of two percentiles: of volatility_monthly_36m and of the depth of the drawdown, among the series of the month that have both, mutual funds and investment funds each among themselves. The percentile is the mid-rank: the share of series with a smaller value and half of the share of those with the same, itself included (RULES 5)';

ALTER TABLE screener
    COMMENT COLUMN daily_change 'Percent points from the quote before, adjusted by the factors that the cartola states; return_1m and the other price returns are not',
    COMMENT COLUMN monthly_change 'Percent points from the quote of a month before, adjusted by the factors that the cartola states; return_1m is not, and differs where a distribution was paid',
    COMMENT COLUMN return_1m 'Price return 1m, fraction, accounting currency: of the quotas alone. daily_change, monthly_change, volatility and drawdown are adjusted by factors, return_1m is not',
    COMMENT COLUMN volatility_monthly_12m 'Sample standard deviation of 12 monthly returns, fraction, adjusted by the factors that the cartola states; return_1m is not',
    COMMENT COLUMN volatility_monthly_36m 'Sample standard deviation of 36 monthly returns, fraction, adjusted by the factors that the cartola states; return_1m is not',
    COMMENT COLUMN max_drawdown_36m 'Deepest fall in 36 months of daily quotes, fraction, 0 or less, adjusted by the factors that the cartola states; return_1m is not',
    COMMENT COLUMN risk_score '0 to 100 among the series of risk_date by mid-rank percentiles: risk_month.risk_score';

ALTER TABLE series_latest
    COMMENT COLUMN daily_change 'Percent points from previous_date, adjusted by the factors that the cartola states; price returns (series_return) are not; null across a break (RULES 7)',
    COMMENT COLUMN monthly_change 'Percent points from month_date, adjusted by the factors that the cartola states; price returns (series_return) are not; null across a break (RULES 7)';

ALTER TABLE market_day
    COMMENT COLUMN daily_change 'Percent points from previous_date, adjusted by the factors that the cartola states; price returns (series_return) are not; null across a break (RULES 7)',
    COMMENT COLUMN monthly_change 'Percent points from month_date, adjusted by the factors that the cartola states; price returns (series_return) are not; null across a break (RULES 7)';

ALTER TABLE series_return
    COMMENT COLUMN value 'Price return in accounting currency, fraction; 3y_ann and 5y_ann per year. Of the quotas alone: market_day.daily_change and monthly_change are adjusted by factors, this is not';

ALTER TABLE family_day
    COMMENT COLUMN series 'Series for which a row with a quote stands that day, also those in no mean. Over all families and both currencies they are the classified series but those in any other currency';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
