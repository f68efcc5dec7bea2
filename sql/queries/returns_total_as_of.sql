-- The windows of a series at any date on total basis, with the rates by which each end was
-- converted and, as JSON, the factors and exchanges that were applied.
--   valuation  accounting, clp or real_uf
SELECT
    window, value, currency, reason, target_start, target_end, effective_start, effective_end,
    start_quota, start_currency, start_fx_date, start_fx, start_fx_sha256, start_fx_revision,
    start_uf_date, start_uf, start_uf_sha256, start_uf_revision,
    end_quota, end_currency, end_fx_date, end_fx, end_fx_sha256, end_fx_revision,
    end_uf_date, end_uf, end_uf_sha256, end_uf_revision,
    toJSONString(factor_coverage)       AS factor_coverage,
    toJSONString(applied_distributions) AS applied_distributions,
    toJSONString(applied_exchanges)     AS applied_exchanges,
    distribution_multiplier,
    exchange_multiplier
FROM batch_total_return(batch = {batch:UInt64}, as_of = {as_of:Date}, series = [{series_id:UInt32}], all_series = false, valuation = {valuation:String})
SETTINGS output_format_json_escape_forward_slashes = 0
