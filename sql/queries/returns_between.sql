-- The price return of series between any two days in a valuation (RULES 1). It begins and ends with the quotes that stand
-- on the days, which are those of the last day of the market on or before each; the reasons are those of windows.
--   from, to       the days
--   series         these series; empty: all with a quote on the second day or up to 38 days before it
--   filtered       only series of the screener that pass parts/screener_filters.sql, whose parameters come with it
--   valuation      accounting, clp or real_uf
--   limit, offset  the page
WITH
    ended AS
    (
        SELECT series_id, cuota_unpacked_quote(cuota_packed_quote(quote_date, quota, currency)) AS quote
        FROM standing_quote
        WHERE (date, build) IN (SELECT * FROM parts.newest_builds(list: return_day_version) WHERE date <= {to:Date} ORDER BY date DESC LIMIT 1)
    ),
    started AS
    (
        SELECT series_id, cuota_unpacked_quote(cuota_packed_quote(quote_date, quota, currency)) AS quote
        FROM standing_quote
        WHERE (date, build) IN (SELECT * FROM parts.newest_builds(list: return_day_version) WHERE date <= {from:Date} ORDER BY date DESC LIMIT 1)
    ),
    asked AS
    (
        SELECT arrayJoin({series:Array(UInt32)}) AS series_id
        UNION ALL
        SELECT series_id
        FROM ended
        WHERE empty({series:Array(UInt32)}) AND toDate({to:Date}) - quote.1 <= 38
          AND (NOT {filtered:Bool} OR series_id IN
              (SELECT series_id FROM batch_screener(batch = {batch:UInt64}) WHERE parts.screener_filters))
    ),
    breaks AS (SELECT series_id, groupArray((date, kind)) AS list FROM discontinuity WHERE batch = {batch:UInt64} GROUP BY series_id),
    rates AS (SELECT date, fx, uf FROM fx_uf_rate WHERE batch = {batch:UInt64} AND {valuation:String} != 'accounting'),
    judged AS
    (
        SELECT
            asked.series_id AS series_id, started.quote AS s, ended.quote AS e, e.3 = 'DOLAR' AS in_dollars,
            coalesce(
                cuota_quote_reason(true, toDate({to:Date}), e.1, e.2, e.3, toDate({from:Date}), s.1, s.2, s.3,
                                   arrayMap(b -> b.2, arrayFilter(b -> b.1 > s.1 AND b.1 <= e.1, breaks.list))),
                if({valuation:String} = 'accounting', NULL,
                   cuota_rate_reason({valuation:String} = 'real_uf', in_dollars, e.1, at_end.fx.date, at_end.fx.value, at_end.uf.value,
                                     s.1, at_start.fx.date, at_start.fx.value, at_start.uf.value))) AS obstacle,
            cuota_valued({valuation:String}, e.2 / s.2, 0, in_dollars, at_start.fx.value, at_end.fx.value, at_start.uf.value, at_end.uf.value) AS raw,
            if(obstacle IS NULL AND isFinite(raw), raw, NULL) AS worth
        FROM asked
        LEFT JOIN ended ON ended.series_id = asked.series_id
        LEFT JOIN started ON started.series_id = asked.series_id
        LEFT JOIN breaks ON breaks.series_id = asked.series_id
        LEFT JOIN rates AS at_start ON at_start.date = started.quote.1
        LEFT JOIN rates AS at_end ON at_end.date = ended.quote.1
    )
SELECT
    judged.series_id AS series_id, named.run AS run, named.serie AS serie, named.fund AS fund,
    nullIf(e.1, toDate(0)) AS effective_end, nullIf(s.1, toDate(0)) AS effective_start,
    {valuation:String} AS valuation,
    multiIf({valuation:String} = 'accounting', nullIf(e.3, ''), worth IS NULL, NULL, {valuation:String} = 'real_uf', 'UF', 'PESOS') AS currency,
    worth AS value, if(obstacle IS NULL AND worth IS NULL, 'non_finite_return', obstacle) AS reason
FROM judged
INNER JOIN
(
    SELECT known.series_id AS series_id, known.run AS run, known.serie AS serie, funds.name AS fund
    FROM batch_watchable_series(batch = {batch:UInt64}) AS known
    INNER JOIN (SELECT fund_id, name FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = known.fund_id
) AS named ON named.series_id = judged.series_id
ORDER BY judged.series_id
LIMIT {limit:UInt64} OFFSET {offset:UInt64}
SETTINGS join_use_nulls = 0
