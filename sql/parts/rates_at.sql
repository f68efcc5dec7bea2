-- The rates of the DAY at which a return begins or ends (SIDE), as at_SIDE.
LEFT JOIN
(
    SELECT date AS SIDE_date, fx.date AS fx_date, toFloat64(fx.value) AS fx_value, toFloat64(uf.value) AS uf_value
    FROM fx_uf_rate
    WHERE batch = {batch:UInt64}
) AS at_SIDE ON at_SIDE.SIDE_date = DAY
