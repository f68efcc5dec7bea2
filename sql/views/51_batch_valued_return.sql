-- Price returns in pesos (valuation 'clp') or in UF ('real_uf') at any date, from the
-- quotes of batch N: one row for each series and window, with the rates by which each end
-- was converted, and the reason if there is no value (RULES 1). It covers the series in the
-- list, or every series if all_series is set. Any other valuation gives no rows.
--   SELECT * FROM batch_valued_return(batch = 7, as_of = '2024-02-29', series = [4047362302], all_series = false, valuation = 'real_uf')
--
-- Dollars become pesos at the dólar observado last published on or before the day of the
-- quote, at most 7 days before. The UF is that of the exact day. A row shows the rates that
-- were found even if they could not be used.
CREATE OR REPLACE VIEW batch_valued_return AS
WITH
    {valuation:String} = 'real_uf' AS in_uf,
    rated AS
    (
        SELECT
            picks.*,
            picks.start_currency = 'DOLAR' AS start_converted,
            picks.end_currency = 'DOLAR'   AS end_converted,
            at_start.fx AS fx_at_start, at_start.uf AS uf_at_start,
            at_end.fx   AS fx_at_end,   at_end.uf   AS uf_at_end
        FROM window_endpoints(batch = {batch:UInt64}, as_of = {as_of:Date}, series = {series:Array(UInt32)}, all_series = {all_series:Bool}) AS picks
        LEFT JOIN (SELECT date, fx, uf FROM fx_uf_rate WHERE batch = {batch:UInt64}) AS at_start ON at_start.date = picks.start_date
        LEFT JOIN (SELECT date, fx, uf FROM fx_uf_rate WHERE batch = {batch:UInt64}) AS at_end ON at_end.date = picks.end_date
        WHERE {valuation:String} IN ('clp', 'real_uf')
    ),
    judged AS
    (
        SELECT
            *,
            coalesce(reason, cuota_rate_reason(in_uf, end_converted, end_date, fx_at_end.date, fx_at_end.value, uf_at_end.value,
                                               start_date, fx_at_start.date, fx_at_start.value, uf_at_start.value)) AS obstacle,
            cuota_valued({valuation:String}, end_quota / start_quota, years, end_converted,
                         fx_at_start.value, fx_at_end.value, uf_at_start.value, uf_at_end.value) AS raw
        FROM rated
    ),
    valued AS
    (
        SELECT * EXCEPT (raw, reason), if(obstacle IS NULL AND isFinite(raw), raw, NULL) AS worth FROM judged
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
    parts.valued_quote(side: start),
    parts.valued_quote(side: end)
FROM valued
-- Without this, the planner merges the joins above with those of the statement that reads
-- the view, confuses columns with the same name, and refuses the statement.
ARRAY JOIN [0] AS apart
SETTINGS join_use_nulls = 0
