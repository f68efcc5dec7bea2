-- The windows of a series at any date in pesos or UF, with the rates by which each end was
-- converted.
--   valuation  clp or real_uf
SELECT
    window, value, currency, reason, target_start, target_end, effective_start, effective_end,
    start_quota, start_currency, start_fx_date, start_fx, start_fx_sha256, start_fx_revision,
    start_uf_date, start_uf, start_uf_sha256, start_uf_revision,
    end_quota, end_currency, end_fx_date, end_fx, end_fx_sha256, end_fx_revision,
    end_uf_date, end_uf, end_uf_sha256, end_uf_revision
FROM batch_valued_return(batch = {batch:UInt64}, as_of = {as_of:Date}, series = [{series_id:UInt32}], all_series = false, valuation = {valuation:String})
