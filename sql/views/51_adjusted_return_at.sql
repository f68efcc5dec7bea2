-- Price returns in pesos (valuation 'clp') or in UF ('real_uf') at any date, from
-- the quotes of batch N: one row per series and window, with what each end was
-- converted with and the reason where there is no value (RULES 1). An empty list
-- of series means all of them. Any other valuation gives no rows.
--   SELECT * FROM adjusted_return_at(batch = 7, as_of = '2024-02-29', series = [4047362302], valuation = 'real_uf')
--
-- Dollars become pesos at the dólar observado last published on or before the
-- day of the quote, at most 7 days before; the UF is that of the very day. What
-- was looked up stands in the row even where it could not be used.
CREATE OR REPLACE VIEW adjusted_return_at AS
WITH
    {valuation:String} = 'real_uf' AS in_uf,
    rated AS
    (
        SELECT
            picks.*,
            at_s.fx_date AS start_fx_date,
            at_s.fx AS start_fx,
            at_s.fx_sha256 AS start_fx_sha256,
            at_s.fx_revision AS start_fx_revision,
            at_s.uf_date AS start_uf_date,
            at_s.uf AS start_uf,
            at_s.uf_sha256 AS start_uf_sha256,
            at_s.uf_revision AS start_uf_revision,
            at_e.fx_date AS end_fx_date,
            at_e.fx AS end_fx,
            at_e.fx_sha256 AS end_fx_sha256,
            at_e.fx_revision AS end_fx_revision,
            at_e.uf_date AS end_uf_date,
            at_e.uf AS end_uf,
            at_e.uf_sha256 AS end_uf_sha256,
            at_e.uf_revision AS end_uf_revision,
            picks.end_currency = 'DOLAR' AS in_dollars
        FROM quote_pick_at(batch = {batch:UInt64}, as_of = {as_of:Date}, series = {series:Array(UInt32)}) AS picks
        LEFT JOIN rate_of(batch = {batch:UInt64}, until = {as_of:Date}, valuation = {valuation:String}) AS at_s
            ON at_s.date = picks.start_date AND at_s.currency = picks.start_currency
        LEFT JOIN rate_of(batch = {batch:UInt64}, until = {as_of:Date}, valuation = {valuation:String}) AS at_e
            ON at_e.date = picks.end_date AND at_e.currency = picks.end_currency
        WHERE {valuation:String} IN ('clp', 'real_uf')
    ),
    judged AS
    (
        SELECT
            *,
            coalesce(reason, cuota_rate_reason(in_uf, in_dollars, end_date, end_fx_date, end_fx, end_uf,
                                               start_date, start_fx_date, start_fx, start_uf)) AS obstacle,
            cuota_valued({valuation:String}, end_quota / start_quota, years, in_dollars, start_fx, end_fx, start_uf, end_uf) AS raw
        FROM rated
    ),
    valued AS
    (
        SELECT * EXCEPT (raw, reason, in_dollars), if(obstacle IS NULL AND isFinite(raw), raw, NULL) AS worth FROM judged
    )
SELECT
    series_id,
    window,
    worth AS value,
    if(worth IS NULL, NULL, if(in_uf, 'UF', 'PESOS')) AS currency,
    if(obstacle IS NULL AND worth IS NULL, 'non_finite_return', obstacle) AS reason,
    target_start,
    target_end,
    nullIf(start_date, toDate(0)) AS effective_start,
    nullIf(end_date, toDate(0))   AS effective_end,
    start_quota, nullIf(start_currency, '') AS start_currency,
    start_fx_date, start_fx, start_fx_sha256, start_fx_revision, start_uf_date, start_uf, start_uf_sha256, start_uf_revision,
    end_quota, nullIf(end_currency, '') AS end_currency,
    end_fx_date, end_fx, end_fx_sha256, end_fx_revision, end_uf_date, end_uf, end_uf_sha256, end_uf_revision
FROM valued
