-- The quote at the SIDE (start or end) of a valued return, and the rates by which it was converted.
SIDE_quota,
    nullIf(SIDE_currency, '') AS SIDE_currency,
    if(SIDE_converted, fx_at_SIDE.date, NULL)     AS SIDE_fx_date,
    if(SIDE_converted, fx_at_SIDE.value, NULL)    AS SIDE_fx,
    if(SIDE_converted, fx_at_SIDE.sha256, NULL)   AS SIDE_fx_sha256,
    if(SIDE_converted, fx_at_SIDE.revision, NULL) AS SIDE_fx_revision,
    if(in_uf, uf_at_SIDE.date, NULL)               AS SIDE_uf_date,
    if(in_uf, uf_at_SIDE.value, NULL)              AS SIDE_uf,
    if(in_uf, uf_at_SIDE.sha256, NULL)             AS SIDE_uf_sha256,
    if(in_uf, uf_at_SIDE.revision, NULL)           AS SIDE_uf_revision
