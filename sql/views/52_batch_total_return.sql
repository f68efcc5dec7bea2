-- Total returns at any date, from the quotes of batch N, the verified factors and
-- the curated exchanges: one row per series and window, in a valuation
-- ('accounting', 'clp' or 'real_uf'), with everything that was applied and the
-- reason where there is no value (RULES 1). It covers the series in the list, or every
-- series if all_series is set. Any other valuation gives no rows.
--   SELECT * FROM batch_total_return(batch = 7, as_of = '2024-02-29', series = [4047362302], all_series = false, valuation = 'accounting')
--
-- From the day on which an exchange is effective, the series continues as the destination
-- of the exchange. Its quotes, breaks and factors are those of the origin before that day,
-- and those of the destination from that day on. If an exchange can't be followed, the end
-- is unknown and is not judged. The reasons of the start and of the factors before the
-- exchange come first, then the exchange's own reason.
--
-- value = (end_quota / start_quota) x distribution_multiplier x exchange_multiplier - 1,
-- valued and annualised. An accepted factor de ajuste multiplies like a distribution and is
-- counted with the distributions of its day. A change of unit that the rows show is no break if a
-- verified factor de ajuste of its day states it.
CREATE OR REPLACE VIEW batch_total_return AS
WITH
    {valuation:String} = 'real_uf' AS in_uf,
    -- Each step names its columns for the next one. If an alias were used again inside its
    -- own SELECT, the engine would analyse it once for each use.
    ends AS
    (
        SELECT
            picks.*,
            notEmpty(history.parts) AS exchanged, history.parts AS parts, history.stop AS stop, history.followed AS followed,
            history.end_quote AS joined_end, history.breaks AS joined_breaks
        FROM window_endpoints(batch = {batch:UInt64}, as_of = {as_of:Date}, series = {series:Array(UInt32)}, all_series = {all_series:Bool}) AS picks
        LEFT JOIN joined_history_as_of(batch = {batch:UInt64}, as_of = {as_of:Date}, series = {series:Array(UInt32)}, all_series = {all_series:Bool}) AS history
            ON history.series_id = picks.series_id AND history.until = picks.target_end
        WHERE {valuation:String} IN ('accounting', 'clp', 'real_uf')
    ),
    picks AS
    (
        SELECT
            series_id, window, years, target_start, target_end, start_date, start_quota, start_currency, exchanged, stop, parts,
            multiIf(stop != '', toDate(0), exchanged, joined_end.date, end_date) AS last_date,
            multiIf(stop != '', NULL, exchanged, toFloat64(joined_end.quota), end_quota)     AS last_quota,
            multiIf(stop != '', '', NOT exchanged, end_currency, joined_end.currency IN ('PESOS', 'DOLAR'), joined_end.currency, '') AS last_currency,
            exchanged AND parts[1].4 < target_start AS origin_inactive,
            if(exchanged, arrayFilter(b -> b.date > start_date, joined_breaks), []) AS joined_breaks,
            if(exchanged, [], arrayFilter(kind -> kind NOT IN ('adjustment', 'unit_change'), breaks)) AS own_breaks,
            if(exchanged, [], arrayMap(d -> (0, d), unit_changes)) AS own_unit_changes,
            followed
        FROM ends
    ),
    windows AS
    (
        SELECT
            series_id, window, years, target_start, target_end, start_date, start_quota, start_currency, exchanged, stop, parts,
            last_date AS end_date, last_quota AS end_quota, last_currency AS end_currency, origin_inactive,
            arrayFilter(b -> stop != '' OR b.date <= last_date, joined_breaks) AS inside,
            arrayConcat(own_breaks, arrayMap(b -> b.kind, arrayFilter(b -> b.kind != 'unit_change', inside))) AS breaks,
            arrayConcat(own_unit_changes, arrayMap(b -> (b.part, b.date), arrayFilter(b -> b.kind = 'unit_change', inside))) AS unit_changes,
            arrayFilter(h -> h.2 <= last_date, followed) AS exchanges
        FROM picks
    ),
    spans AS
    (
        -- For each part: its number, its series, the first and last day that need factors,
        -- and the days on which a factor can't be told apart from an exchange.
        SELECT
            series_id, window, years, target_start, target_end, start_date, start_quota, start_currency, end_date, end_quota, end_currency,
            stop, origin_inactive, exchanges, unit_changes,
            cuota_quote_reason(stop = '', target_end, end_date, end_quota, end_currency,
                               target_start, start_date, start_quota, start_currency, breaks) AS base_reason,
            arrayJoin(if(exchanged,
               arrayMap(p -> (p.1, p.2, greatest(p.3, start_date + 1), if(stop = '', least(p.4, end_date), p.4),
                              arrayFilter(d -> arrayExists(h -> h.2 = d, exchanges), [p.3, p.4 + 1])),
                        arrayFilter(p -> p.1 = 0 OR stop != '' OR p.3 <= end_date, parts)),
               [(0, series_id, start_date + 1, end_date, CAST([], 'Array(Date)'))])) AS span
        FROM windows
    ),
    covered AS
    (
        -- The verified factors of each part.
        SELECT
            s.*,
            span.3 <= span.4 AS needed,
            arrayConcat(
                if(arrayExists(u -> u.1 = span.1 AND NOT has(factors.adjusted, u.2), unit_changes), ['known_discontinuity'], []),
                if(span.3 <= span.4 AND (factors.last_date < span.4 OR factors.first_date > span.3
                                         OR arrayExists(g -> g.1 < span.4 AND g.2 > span.3, factors.gaps)),
                   ['missing_factor_coverage'], []),
                arrayMap(d -> d.2, arrayFilter(d -> d.1 >= span.3 AND d.1 <= span.4, factors.defects)),
                if(arrayExists(f -> has(span.5, f.1), factors.factors), ['ambiguous_exchange_distribution'], [])) AS found,
            arrayFilter(f -> f.1 >= span.3 AND f.1 <= span.4, factors.factors) AS applied,
            (factors.rol, factors.serie_name) AS name,
            arraySort(arrayDistinct(arrayMap(e -> e.3, arrayFilter(e -> e.1 <= span.4 AND e.2 >= span.3, factors.evidence)))) AS documents
        FROM spans AS s
        LEFT JOIN factor_history_as_of(batch = {batch:UInt64}, series = {series:Array(UInt32)}, all_series = {all_series:Bool}, until = {as_of:Date}) AS factors
            ON factors.series_id = span.2
    ),
    whole AS
    (
        SELECT
            series_id, window, any(years) AS years, any(target_start) AS target_start, any(target_end) AS target_end,
            any(start_date) AS start_date, any((start_quota, start_currency)) AS at_start,
            any(end_date) AS end_date, any((end_quota, end_currency)) AS at_end,
            any((base_reason, stop, origin_inactive)) AS judged, any(exchanges) AS exchanges,
            arraySort(p -> p.1, groupArray((span.1, name, span.3, span.4, applied, documents, needed))) AS parts,
            groupArrayArray(found) AS found
        FROM covered
        GROUP BY series_id, window
    ),
    listed AS
    (
        SELECT
            series_id, window, years, target_start, target_end, start_date, end_date, exchanges, parts, found,
            judged.1 AS base_reason, judged.2 AS stop, judged.3 AS origin_inactive,
            at_start.1 AS start_quota, at_start.2 AS start_currency, at_end.1 AS end_quota, at_end.2 AS end_currency,
            arrayFlatten(arrayMap(p -> arrayMap(f -> f.2, p.5), parts)) AS factors,
            arrayMap(h -> h.4, exchanges)                               AS exchange_factors
        FROM whole
    ),
    multiplied AS
    (
        SELECT
            *,
            cuota_product(factors)          AS distributed,
            cuota_product(exchange_factors) AS exchanged,
            arrayProduct(arrayMap(f -> toFloat64(f), arrayConcat([1], factors, exchange_factors))) AS roughly
        FROM listed
    ),
    rated AS
    (
        SELECT
            w.*,
            w.start_currency = 'DOLAR' AND {valuation:String} != 'accounting' AS start_converted,
            w.end_currency = 'DOLAR' AND {valuation:String} != 'accounting'   AS end_converted,
            at_start.fx AS fx_at_start, at_start.uf AS uf_at_start,
            at_end.fx   AS fx_at_end,   at_end.uf   AS uf_at_end,
            toFloat64(distributed) * toFloat64(exchanged) AS multiplier
        FROM multiplied AS w
        LEFT JOIN (SELECT date, fx, uf FROM fx_uf_rate WHERE batch = {batch:UInt64}) AS at_start ON at_start.date = w.start_date
        LEFT JOIN (SELECT date, fx, uf FROM fx_uf_rate WHERE batch = {batch:UInt64}) AS at_end ON at_end.date = w.end_date
    ),
    judged AS
    (
        SELECT
            *,
            coalesce(
                base_reason,
                if(has(found, 'known_discontinuity'), 'known_discontinuity', NULL),
                if(stop = '' AND {valuation:String} != 'accounting',
                   cuota_rate_reason(in_uf, end_converted, end_date, fx_at_end.date, fx_at_end.value, uf_at_end.value,
                                               start_date, fx_at_start.date, fx_at_start.value, uf_at_start.value),
                   NULL),
                nullIf(arrayFirst(r -> has(found, r),
                    ['missing_factor_coverage', 'factor_quote_mismatch', 'factor_currency_mismatch', 'invalid_distribution_factor',
                     'unsupported_adjustment', 'duplicate_factor_date']), ''),
                nullIf(stop, ''),
                if(origin_inactive, 'origin_not_active_at_start', NULL),
                if(has(found, 'ambiguous_exchange_distribution'), 'ambiguous_exchange_distribution', NULL)) AS obstacle,
            cuota_valued({valuation:String}, end_quota / start_quota * multiplier, years, end_converted,
                         fx_at_start.value, fx_at_end.value, uf_at_start.value, uf_at_end.value) AS raw
        FROM rated
    ),
    valued AS
    (
        SELECT
            * EXCEPT (raw),
            if(obstacle IS NULL AND isFinite(raw) AND abs(multiplier / roughly - 1) < 1e-9, raw, NULL) AS worth,
            ifNull(worth IS NOT NULL, 0) AS available
        FROM judged
    )
SELECT
    series_id,
    window,
    worth AS value,
    multiIf(NOT available, NULL, in_uf, 'UF', {valuation:String} = 'clp', 'PESOS', end_currency) AS currency,
    if(obstacle IS NULL AND NOT available, 'non_finite_return', obstacle) AS reason,
    target_start,
    target_end,
    nullIf(start_date, toDate(0)) AS effective_start,
    nullIf(end_date, toDate(0))   AS effective_end,
    parts.valued_quote(side: start),
    parts.valued_quote(side: end),
    CAST(if(NOT available, [], arrayMap(p -> (p.2.1, p.2.2, p.3, p.4, toUInt32(p.4 - p.3 + 1), p.6), arrayFilter(p -> p.7, parts))),
         'Array(Tuple(run String, serie String, start_date Date, end_date Date, calendar_days UInt32, source_sha256 Array(String)))')
        AS factor_coverage,
    CAST(if(NOT available, [], arrayFlatten(arrayMap(p -> arrayMap(f -> (p.2.1, p.2.2, f.1, toString(f.2), f.3, f.4), p.5), parts))),
         'Array(Tuple(run String, serie String, date Date, factor String, source_url String, source_sha256 String))')
        AS applied_distributions,
    CAST(if(NOT available, [], arrayMap(h -> (h.5, h.6, h.7, h.8, h.9, h.10, h.2, h.3, toString(h.4), h.11, h.12), exchanges)),
         'Array(Tuple(event_id String, revision UInt32, origin_run String, origin_serie String, destination_run String,
                destination_serie String, effective_date Date, valuation_date Date, factor String, source_url String,
                source_sha256 String))')
        AS applied_exchanges,
    if(NOT available, NULL, cuota_decimal_text(distributed)) AS distribution_multiplier,
    if(NOT available, NULL, cuota_decimal_text(exchanged))   AS exchange_multiplier
FROM valued
SETTINGS join_use_nulls = 0
