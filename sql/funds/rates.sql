-- The official dollar and the UF of each calendar day.
--   SELECT date, uf_clp FROM funds.rates WHERE date = toLastDayOfMonth(date) ORDER BY date
CREATE OR REPLACE VIEW funds.rates
(
    date         Date              COMMENT 'Calendar day, with or without publication',
    dollar_clp   Nullable(Float64) COMMENT 'Pesos for one US dollar: the official rate (dólar observado) last published on or before the day; null before the first',
    dollar_date  Nullable(Date)    COMMENT 'Day of that rate. Amounts are converted with rates of at most 7 days before',
    uf_clp       Nullable(Float64) COMMENT 'Pesos for one UF on the very day; null where there is none'
)
SQL SECURITY DEFINER AS
SELECT date, toFloat64(fx.value) AS dollar_clp, fx.date AS dollar_date, toFloat64(uf.value) AS uf_clp
FROM fx_uf_rate
WHERE batch = {batch:UInt64}
COMMENT 'Official dollar and UF of each calendar day. Key: date.'
