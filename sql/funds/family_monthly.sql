-- The return of the index of each family and currency in each month.
--   SELECT month, index_return FROM funds.family_monthly WHERE family = 'Balanceado moderado' AND currency = 'PESOS' ORDER BY month
CREATE OR REPLACE VIEW funds.family_monthly
(
    family        LowCardinality(String) COMMENT 'Peer group of the regulator',
    currency      LowCardinality(String) COMMENT 'Accounting currency of its series: PESOS or DOLAR',
    month         Date                   COMMENT 'Last day of the month; the month of the newest point may not be over',
    index_return  Float64                COMMENT 'Return of the index from the month end before, fraction. A month whose end, or the one before, has no point of the 7 days up to it has no row'
)
SQL SECURITY DEFINER AS
SELECT family_rar AS family, currency, month, index_return
FROM batch_family_month_return(batch = {batch:UInt64})
COMMENT 'Returns of the indices of families by month, in each currency. Key: family, currency, month.'
