-- The reason why each window that ends on DAY has no value, null if it has one, and the values of the others, in the order of
-- cuota_windows (RULES 1). The statement has the quotes with which the windows begin and end as the lists starts and
-- ends of (date, quota, currency), and the breaks of the series as the list of (date, kind).
arrayMap((w, s, e) -> cuota_quote_reason(true, w.4, e.1, e.2, e.3, w.3, s.1, s.2, s.3,
                                         arrayMap(b -> b.2, arrayFilter(b -> b.1 > s.1 AND b.1 <= e.1, list))),
         cuota_windows(DAY, cuota_closed_month_end(DAY)), starts, ends) AS reasons,
arrayMap((reason, w, s, e) -> if(reason IS NULL, cuota_annual(e.2 / s.2, w.2), NULL),
         reasons, cuota_windows(DAY, cuota_closed_month_end(DAY)), starts, ends) AS values
