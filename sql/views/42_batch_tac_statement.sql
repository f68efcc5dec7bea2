-- Every cost rate that a file of batch N states for some months, or for all if all_months is
-- set. newest tells those that count, because no other file corrects them, and first those
-- that were stated first. Each has its series, or the reason why it belongs to none and is
-- left out:
--   no_figure       the sheet says NA
--   unknown_fund    no fund in the register has that name with that manager
--   ambiguous_fund  several have
--   unknown_series  the fund has no series of that name in the cartola
-- The monthly sheet has no RUN. Its funds and managers are found by their names, of which
-- only letters and digits are compared. A fund is found by every name and short name that
-- the register ever gave it, with or without FONDO MUTUO in front. Its manager is found by
-- the name there and by the name that was stated last.
-- decimals is the number of decimals in the percentages of the file: as many as its longest
-- percentage has, and at least two, because files drop zeros and write 1.5 for 1.50
-- (docs/decisions/0021). It counts only with all_months.
--   SELECT dataset, reason, count() FROM batch_tac_statement(batch = 7, months = [], all_months = true) GROUP BY dataset, reason
CREATE OR REPLACE VIEW batch_tac_statement AS
WITH
    funds AS
    (
        SELECT
            run, manager_rut, cuota_words(manager) AS manager_words,
            cuota_words(replaceRegexpOne(name, ' *\\([0-9]+\\) *$', '')) AS registered_words,
            arrayJoin([registered_words, replaceRegexpOne(registered_words, '^FONDOMUTUO', ''), cuota_words(short_name)]) AS fund_words
        FROM fact_fund
        WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
    ),
    names AS
    (
        SELECT manager_words, fund_words, groupUniqArray(run) AS runs
        FROM
        (
            SELECT run, manager_words, fund_words FROM funds
            UNION ALL
            SELECT funds.run, cuota_words(managers.name), funds.fund_words
            FROM funds
            INNER JOIN batch_manager(batch = {batch:UInt64}) AS managers ON managers.rut = funds.manager_rut
        )
        GROUP BY manager_words, fund_words
    ),
    rates AS
    (
        SELECT
            'tac-comparator' AS dataset, kind, toLastDayOfMonth(date) AS month, [run] AS runs, serie, fund, manager,
            toNullable(percent) AS percent, decimals, investor_class, newest, first, revision, source_sha256, source_line
        FROM
        (parts.tac_lines(table: fact_tac; key: run, serie, date, kind; percent: percent))
        UNION ALL
        SELECT
            'tac-monthly', 'real', toLastDayOfMonth(date), names.runs, serie, fund, manager,
            total_percent, decimals, '', newest, first, revision, source_sha256, source_line
        FROM
        (
        parts.tac_lines(table: fact_monthly_tac; key: manager_words, fund_words, serie, date; percent: total_percent)
        ) AS sheet
        LEFT JOIN names ON names.manager_words = sheet.manager_words AND names.fund_words = sheet.fund_words
    )
SELECT
    dataset, kind, month, if(length(runs) = 1, runs[1], 0) AS run, serie, fund, manager,
    labels.series_id AS series_id,
    percent,
    toFloat64(toDecimal128(percent, 10) / 100) AS tac, -- divided as a decimal: 1.07 % is 0.0107 and nothing beside it
    toUInt8(decimals) AS decimals,
    nullIf(investor_class, '') AS investor_class,
    multiIf(percent IS NULL, 'no_figure',
            empty(runs), 'unknown_fund',
            length(runs) > 1, 'ambiguous_fund',
            labels.label_id = 0, 'unknown_series',
            '') AS reason,
    -- If a series has several names in a month, the valid one counts, else the newest.
    if(month BETWEEN labels.valid_from AND labels.valid_until, 0, labels.position) AS label_order,
    newest, first, revision, source_sha256, source_line
FROM (SELECT *, if(length(runs) = 1, runs[1], 0) AS run FROM rates) AS rates
LEFT JOIN batch_series_name(batch = {batch:UInt64}) AS labels ON labels.run = rates.run AND labels.serie = rates.serie
SETTINGS join_use_nulls = 0
