-- +goose Up

-- INVERSION_EN_FONDOS is an amount: what a fund has in other funds. Versions before took its 0 and 1 for a flag and
-- rejected all other rows. Their facts keep the flags, from which the new columns follow. Words that no number depends
-- on are kept as they are written.

ALTER TABLE fact_quota
    ADD COLUMN IF NOT EXISTS participes_inst LowCardinality(String) DEFAULT if(void, '', if(institutional_fund, 'S', 'N'))
        COMMENT 'PARTICIPES_INST as written: S, the fund has institutional shareholders that day, or N; another word where the source has a new one'
        AFTER institutional,
    ADD COLUMN IF NOT EXISTS fondo_pen LowCardinality(String) DEFAULT if(void, '', if(pension_fund, 'S', 'N'))
        COMMENT 'FONDO_PEN as written: S or N; another word where the source has a new one'
        AFTER participes_inst,
    ADD COLUMN IF NOT EXISTS invested_in_funds Nullable(Decimal(18, 4)) DEFAULT if(void, NULL, toDecimal64(invests_in_funds, 4))
        COMMENT 'INVERSION_EN_FONDOS: what the whole fund has in other funds, repeated on each series, full units of its currency; null where the file has no number'
        AFTER fondo_pen,
    COMMENT COLUMN moneda 'Currency as written: $$ pesos, PROM dollars; any other is unknown (RULES 6)',
    COMMENT COLUMN institutional_fund 'What versions before participes_inst stored; not written any more',
    COMMENT COLUMN pension_fund 'What versions before fondo_pen stored; not written any more',
    COMMENT COLUMN invests_in_funds 'What versions before invested_in_funds stored, as a flag: 0 or 1 of INVERSION_EN_FONDOS; not written any more';

ALTER TABLE series_day
    ADD COLUMN IF NOT EXISTS invested_in_funds Nullable(Decimal(18, 4))
        COMMENT 'What the whole fund has in other funds, repeated on each series, full units of currency; null where the file has no number'
        AFTER costs;

-- +goose Down
SELECT throwIf(true, 'facts are the durable history: no way down');
