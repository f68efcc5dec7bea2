-- Funds of every vehicle: mutual funds, investment funds and exchange-traded funds.
--   SELECT vehicle, count() FROM funds.funds WHERE current GROUP BY vehicle
CREATE OR REPLACE VIEW funds.funds
(
    fund_id     UInt32                           COMMENT 'Id of the fund',
    run         String                           COMMENT 'RUN with check digit, as in 9809-4',
    name        String                           COMMENT 'Registered name; else that of the association''s sheet; else the RUN',
    short_name  Nullable(String)                 COMMENT 'Short name in the register',
    manager_id  Nullable(UInt32)                 COMMENT 'Id of the manager; null where no source names one',
    manager     Nullable(String)                 COMMENT 'Name of the manager; null where no source names one',
    vehicle     LowCardinality(String)           COMMENT 'mutual_fund, etf or investment_fund',
    kind        Nullable(String)                 COMMENT 'Type in the register: 1 to 8 of mutual funds; FIRES (redeemable) or FINRE (not) of investment funds',
    category    LowCardinality(Nullable(String)) COMMENT 'money_market, fixed_income, balanced, equity, structured or other, of its series with most equity; null while unclassified',
    currency    LowCardinality(Nullable(String)) COMMENT 'Registered currency: PESOS, DOLAR or EUR; else that of its series with most equity',
    started     Nullable(Date32)                 COMMENT 'Start of operations',
    ended       Nullable(Date32)                 COMMENT 'End of operations; null while open',
    current     Bool                             COMMENT 'Open at the cutoff'
)
SQL SECURITY DEFINER AS
SELECT
    fund_id, run, name, short_name,
    nullIf(manager_id, 0)               AS manager_id,
    if(manager_id IS NULL, NULL, nullIf(manager, '')) AS manager,
    vehicle, kind, category, currency, started, ended, current
FROM fund
WHERE batch = {batch:UInt64}
COMMENT 'Funds of every vehicle, open or closed. Key: fund_id.'
