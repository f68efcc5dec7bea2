-- Funds of every vehicle. A fund with the ETF flag is an ETF, whatever register has it. A
-- fund in both registers, or one that publishes book values and no cartola, is an
-- investment fund (RULES 11: vehicles are disjoint). The category of a fund is that of its
-- leading series among those that have one: a current series before a closed one, then the
-- one with more equity. If no register states the currency, it comes from the leading
-- series in the same way.
INSERT INTO fund
    (batch, fund_id, run, manager_id, manager, vehicle, name, short_name, kind, category, currency, started, ended, current)
WITH
    leading_series AS
    (
        SELECT
            fund_id,
            argMax(category, rank)      AS category, -- passes over those without one
            argMax(currency, rank)      AS currency,
            max(current)                AS any_current
        FROM
        (
            SELECT
                series.fund_id AS fund_id, series.category AS category, series.currency AS currency, series.current AS current,
                (current, ifNull(cuota_clp(series.currency, latest.equity, dolar.value), 0), -toInt64(series.series_id)) AS rank
            FROM (SELECT * FROM series WHERE batch = {batch:UInt64}) AS series
            INNER JOIN (SELECT * FROM series_latest WHERE batch = {batch:UInt64}) AS latest USING (series_id)
            LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = latest.date
        )
        GROUP BY fund_id
    ),
    quoted AS
    (
        SELECT run, argMax(manager_rut, (stated_on, manager_rut)) AS manager_rut
        FROM quota_manager
        WHERE batch <= {batch:UInt64} AND batch NOT IN (SELECT batch FROM batch_failure)
        GROUP BY run
    ),
    sheet AS
    (
        SELECT run, argMax(fund, (date, revision, fund)) AS name FROM batch_aafm_daily(batch = {batch:UInt64}) GROUP BY run
    ),
    managers AS (SELECT * FROM manager WHERE batch = {batch:UInt64})
SELECT
    {batch:UInt64},
    registered.id,
    substring(registered.key, 6),
    if(investment.run != 0, by_words.manager_id, by_rut.manager_id),
    if(investment.run != 0, by_words.name, by_rut.name),
    multiIf(flagged.is_etf, 'etf', investment.run != 0 OR funds.run = 0 AND quoted.run = 0 AND leading_series.fund_id = 0, 'investment_fund', 'mutual_fund'),
    multiIf(investment.run != 0, investment.name, funds.name != '', funds.name, sheet.name != '', sheet.name, substring(registered.key, 6)),
    nullIf(funds.short_name, ''),
    multiIf(investment.run != 0, investment.kind, funds.run != 0, nullIf(toString(funds.kind), '0'), NULL),
    leading_series.category,
    if(funds.run != 0, cuota_currency(funds.moneda), leading_series.currency),
    funds.started,
    funds.ended,
    multiIf(investment.run != 0, NOT investment.closed,
            funds.run != 0, funds.ended IS NULL OR funds.ended > {as_of:Date},
            leading_series.any_current)
FROM (SELECT id, run, key FROM registry WHERE kind = 'fund') AS registered
LEFT JOIN batch_fund(batch = {batch:UInt64}) AS funds ON funds.run = registered.run
LEFT JOIN batch_investment_fund(batch = {batch:UInt64}) AS investment ON investment.run = registered.run
LEFT JOIN batch_vehicle(batch = {batch:UInt64}) AS flagged ON flagged.run = registered.run
LEFT JOIN quoted ON quoted.run = registered.run
LEFT JOIN sheet ON sheet.run = registered.run
LEFT JOIN leading_series ON leading_series.fund_id = registered.id
LEFT JOIN managers AS by_rut ON by_rut.rut = cuota_rol(if(funds.run != 0, funds.manager_rut, quoted.manager_rut))
LEFT JOIN batch_manager_by_name(batch = {batch:UInt64}) AS by_words ON by_words.words = cuota_words(investment.manager)
WHERE funds.run != 0 OR investment.run != 0 OR quoted.run != 0
   OR leading_series.fund_id != 0 -- none of its rows could be read: it is known by its RUN alone
   OR registered.run IN (SELECT run FROM fact_investment_value WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64})))
