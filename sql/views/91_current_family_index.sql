-- The index of every family and currency, as the current batch sees it
-- (batch_family_index).
--   SELECT date, value FROM current_family_index WHERE family_rar = 'Accionario nacional' AND currency = 'PESOS' ORDER BY date
CREATE OR REPLACE VIEW current_family_index
(
    family_rar  LowCardinality(String) COMMENT 'familia_rar: the peer group',
    currency    LowCardinality(String) COMMENT 'Accounting currency of its series: PESOS or DOLAR',
    date        Date                   COMMENT 'Day of the point',
    value       Float64                COMMENT 'Level of the index, 100 on its first day (RULES 7)',
    change      Nullable(Float64)      COMMENT 'Percent points since the point before; null where there is none to compare with'
) AS
SELECT family_rar, currency, date, value, change
FROM batch_family_index(batch = (SELECT max(batch) FROM batch), family = '')
