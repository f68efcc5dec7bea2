-- Managers (AGF).
--   SELECT name, mutual_funds FROM funds.managers ORDER BY mutual_funds DESC
CREATE OR REPLACE VIEW funds.managers
(
    manager_id        UInt32           COMMENT 'Id of the manager',
    rut               Nullable(String) COMMENT 'RUT with check digit, as in 96489000-5; null where only the name is known',
    name              String           COMMENT 'Name that was stated last, in capitals',
    mutual_funds      UInt32           COMMENT 'Number of mutual funds in the register, open or closed, without exchange-traded ones',
    investment_funds  UInt32           COMMENT 'Number of investment funds in the register, without exchange-traded ones',
    etfs              UInt32           COMMENT 'Number of exchange-traded funds of either register'
)
SQL SECURITY DEFINER AS
SELECT manager_id, rut, name, mutual_funds, investment_funds, etfs
FROM manager
WHERE batch = {batch:UInt64}
COMMENT 'Managers of funds (AGF). Key: manager_id.'
