-- +goose Up

-- Words that no number depends on are kept as they are written (decisions/0058). Facts of earlier versions keep
-- their flags, from which the new columns follow.

ALTER TABLE fact_tac
    ADD COLUMN IF NOT EXISTS serie_digital LowCardinality(String) DEFAULT if(digital, '1', '0')
        COMMENT 'serie_digital as written: 1, a digital series, or 0; another word where the source has a new one'
        AFTER manager,
    COMMENT COLUMN moneda 'Currency as written: $$ pesos, PROM dollars; any other is unknown (RULES 6)',
    COMMENT COLUMN digital 'What versions before serie_digital stored; not written any more';

ALTER TABLE fact_official_return
    ADD COLUMN IF NOT EXISTS serie_digital LowCardinality(String) DEFAULT if(digital, '1', '0')
        COMMENT 'serie_digital as written: 1, a digital series, or 0; another word where the source has a new one'
        AFTER manager,
    COMMENT COLUMN digital 'What versions before serie_digital stored; not written any more';

ALTER TABLE fact_aafm_daily
    ADD COLUMN IF NOT EXISTS serie_apv LowCardinality(String) DEFAULT if(apv, 'Si', 'No')
        COMMENT 'serie_apv as written: Si, a series for voluntary pension saving, or No; another word where the source has a new one'
        AFTER category,
    COMMENT COLUMN currency 'PESOS or DOLAR as written, or another word; empty when the fund did not report',
    COMMENT COLUMN apv 'What versions before serie_apv stored; not written any more';

ALTER TABLE fact_investment_fund
    ADD COLUMN IF NOT EXISTS state LowCardinality(String) DEFAULT if(closed, 'no vigente', 'vigente')
        COMMENT 'estado as written: vigente, no vigente, or another word; empty where the register has no such column',
    COMMENT COLUMN kind 'FIRES: redeemable; FINRE: not redeemable; another word where the register has a new one',
    COMMENT COLUMN closed 'True: the register calls the fund no vigente; false: it calls it anything else or does not tell';

ALTER TABLE fact_fund
    COMMENT COLUMN kind 'Tipo de fondo mutuo as written, so far 1 to 8; 0 where it is no number',
    COMMENT COLUMN moneda 'Currency as written: $$ pesos, PROM dollars; any other is unknown (RULES 6)';

ALTER TABLE fact_investment_value
    COMMENT COLUMN moneda 'Currency as written: $$, CLP or PESOS; PROM, USD or DOLAR; any other is unknown (RULES 6)';

-- +goose Down
SELECT throwIf(true, 'facts are the durable history: no way down');
