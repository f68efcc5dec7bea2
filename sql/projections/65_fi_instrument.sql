-- Instruments of investment funds (RULES 11): each series that ever published a value, with
-- its values of the last day up to the cutoff, and one row for each fund itself. The list
-- shows the row of the fund only while no series of it is known.
INSERT INTO fi_instrument
    (batch, instrument_id, series_id, listed, fund_id, run, serie, fund, manager_id, manager, vehicle, regulatory_type,
     is_etf, etf_source_url, etf_source_sha256, status, current, first_date, last_date, currency, book_value, economic_value, equity,
     total_assets, contributors, institutional, agency)
WITH
    known AS
    (
        SELECT run, toNullable(serie) AS serie, toNullable(id) AS series_id FROM registry WHERE kind = 'fi_series' AND batch <= {batch:UInt64}
        UNION ALL
        SELECT run, NULL, NULL FROM
        (
            SELECT run FROM batch_investment_fund(batch = {batch:UInt64})
            UNION DISTINCT
            SELECT DISTINCT run FROM registry WHERE kind = 'fi_series' AND batch <= {batch:UInt64}
        )
    ),
    latest AS
    (
        SELECT
            series_id, min(date) AS first_date, max(date) AS last_date,
            argMax((currency, book_value, economic_value, equity, total_assets, contributors, institutional, agency), date) AS said
        FROM batch_fi_day(batch = {batch:UInt64}, series = [], all_series = true)
        WHERE date <= {as_of:Date}
        GROUP BY series_id
    )
SELECT
    {batch:UInt64},
    cuota_fi_id(known.run, ifNull(known.serie, '')),
    known.series_id,
    known.series_id IS NOT NULL OR known.run NOT IN (SELECT run FROM registry WHERE kind = 'fi_series' AND batch <= {batch:UInt64}),
    funds.fund_id,
    funds.run,
    known.serie,
    funds.name,
    nullIf(funds.manager_id, 0),
    nullIf(funds.manager, ''),
    if(funds.vehicle = 'etf', 'etf', 'investment_fund'),
    transform(toString(registered.kind), ['FIRES', 'FINRE'], ['RES', 'FINRE'], 'FI'),
    if(flagged.run = 0, NULL, flagged.is_etf),
    if(flagged.run = 0, NULL, flagged.evidence_url),
    if(flagged.run = 0, NULL, flagged.evidence_sha256),
    multiIf(registered.closed, 'inactive',
            registered.run != 0 AND latest.series_id != 0 AND toDate({as_of:Date}) - latest.last_date <= 95, 'active',
            'unknown') AS judged,
    judged != 'inactive' AND latest.series_id != 0 AND toDate({as_of:Date}) - latest.last_date <= 7,
    if(latest.series_id = 0, NULL, latest.first_date),
    if(latest.series_id = 0, NULL, latest.last_date),
    if(latest.said.1 IN ('PESOS', 'DOLAR'), latest.said.1, NULL),
    latest.said.2, latest.said.3, latest.said.4, latest.said.5, latest.said.6, latest.said.7,
    nullIf(toString(latest.said.8), '')
FROM known
INNER JOIN (SELECT id, run FROM registry WHERE kind = 'fund') AS fund_registry ON fund_registry.run = known.run
INNER JOIN (SELECT * FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = fund_registry.id
LEFT JOIN batch_investment_fund(batch = {batch:UInt64}) AS registered ON registered.run = known.run
LEFT JOIN batch_vehicle(batch = {batch:UInt64}) AS flagged ON flagged.run = known.run
LEFT JOIN latest ON latest.series_id = known.series_id
