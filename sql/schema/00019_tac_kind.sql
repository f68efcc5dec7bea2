-- +goose Up

-- A cost rate says which quantity it is: synthetic, stated or computed. A stated and
-- a computed real rate of one month are kept side by side from here on, so that
-- changes compare like with like.

ALTER TABLE tac_month
    ADD COLUMN tac_kind LowCardinality(String) DEFAULT if(kind = 'synthetic', kind, source)
        COMMENT 'synthetic: stated, and counts the costs of underlying funds. stated, computed: the source of a rate that does not. Rates of different kinds do not compare',
    ADD COLUMN decimals Nullable(UInt8)
        COMMENT 'Decimals that the percentages of the stating file are published with: as many as its finest, at least 2; null when computed. A smaller difference than half of the last is rounding',
    COMMENT COLUMN source 'stated: by a published file; computed: from the daily costs of the cartola. A month may have both',
    COMMENT COLUMN cost_days 'Daily values in the mean of a computed rate: a month needs 15, else it has none; 0 when stated',
    MODIFY COMMENT 'Cost rates of each series and month, one of each tac_kind';

ALTER TABLE screener
    ADD COLUMN tac_kind LowCardinality(Nullable(String))
        COMMENT 'synthetic, stated or computed, of tac; null without a rate. Kinds do not compare: tac_month.tac_kind'
        AFTER tac;

ALTER TABLE series
    COMMENT COLUMN tac_kind 'synthetic, stated or computed; null without a rate. Kinds do not compare: tac_month.tac_kind';

-- Of the batches that are there.
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

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
