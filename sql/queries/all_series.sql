-- One page of all series that ever were, of mutual funds and of investment funds, by name of the fund
-- and series. Each row has the number of matches before paging. An empty page has one row without a
-- RUN, which carries the total.
--   provider_id    id of the manager, or of one of its names; null: any
--   run            RUN of the fund with check digit; empty: any
--   vehicle        mutual_fund, etf or investment_fund; all: any
--   status         current, closed or unknown; all: any
--   searched       a text was searched for
--   found          the series_id of each series that it found; without effect unless searched
--   limit, offset  the page
WITH
    matching AS
    (
        SELECT
            known.ids[1] AS asset_id, known.ids AS alias_ids, known.series_id AS series_id, known.fund_id AS fund_id,
            nullIf(funds.manager_id, 0) AS manager_id, known.run AS run, known.serie AS serie, funds.name AS fund,
            nullIf(toString(funds.manager), '') AS manager, toString(funds.vehicle) AS vehicle,
            toString(said.last_category) AS last_category, toString(said.last_family) AS last_family, toString(said.currency) AS currency,
            nullIf(toDate(ifNull(said.first_date, toDate(0))), toDate(0)) AS first_date, nullIf(toDate(ifNull(said.last_date, toDate(0))), toDate(0)) AS last_date,
            multiIf(known.closed_on IS NOT NULL, 'closed', said.current, 'current', 'unknown') AS status
        FROM batch_watchable_series(batch = {batch:UInt64}) AS known
        INNER JOIN (SELECT fund_id, name, manager_id, manager, vehicle FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = known.fund_id
        INNER JOIN
        (
            SELECT series_id, last_category, last_family, currency, first_date, last_date, current FROM series WHERE batch = {batch:UInt64}
            UNION ALL
            SELECT assumeNotNull(series_id), NULL, NULL, currency, first_date, last_date, current FROM fi_instrument
            WHERE batch = {batch:UInt64} AND series_id IS NOT NULL
        ) AS said ON said.series_id = known.series_id
        WHERE ({provider_id:Nullable(UInt32)} IS NULL OR funds.manager_id = {provider_id:Nullable(UInt32)}
               OR funds.manager_id IN (SELECT manager_id FROM batch_manager_alias(batch = {batch:UInt64}) WHERE alias_id = {provider_id:Nullable(UInt32)}))
          AND {run:String} IN ('', known.run)
          AND {vehicle:String} IN ('all', toString(funds.vehicle))
          AND {status:String} IN ('all', multiIf(known.closed_on IS NOT NULL, 'closed', said.current, 'current', 'unknown'))
          AND (NOT {searched:Bool} OR known.series_id IN {found:Array(UInt32)})
    )
SELECT counted.total AS total, page.*
FROM (SELECT count() AS total FROM matching) AS counted
LEFT JOIN
(
    SELECT * FROM matching
    ORDER BY fund, serie, series_id
    LIMIT {limit:UInt32} OFFSET {offset:UInt64}
) AS page ON true
ORDER BY fund, serie, series_id
