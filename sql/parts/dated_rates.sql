-- The cost rates of series of mutual funds with the day on which each was known (docs/backtests.md, section 2). A rate of
-- the cartola is known from the end of its month, one of a file from the day of the file, and from the end of its month if
-- that file came more than 62 days later and states it first. A later rate counts before an earlier one of the same month, kind
-- and source, by label_order DESC, revision, source_sha256, source_line; its rate is null where a statement takes it back.
--   several  months of which several files state rates (backtest_cost_months.sql)
-- Read from stored_rates, or from all_rates if there are such months. A view that is not named is not planned, which takes long.
    (SELECT (groupArray(month), groupArray(published_on)) FROM batch_cost_month(batch = {batch:UInt64})) AS stating,
    -- stored_rates has no join: its rows then come in the order of the table and need no sorting. So the days of publication
    -- are looked up with transform.
    stored_rates AS
    (
        SELECT
            series_id, month, kind, tac_kind, tac AS rate, investor_class AS class,
            transform(month, stating.1, stating.2, toDate(0)) AS published_on,
            if(source = 'computed' OR published_on - month > 62, month, published_on) AS known_on,
            source = 'stated' AS is_stated, toUInt64(0) AS label_order, toDateTime64(0, 3, 'UTC') AS revision, '' AS source_sha256, toUInt32(0) AS source_line
        FROM tac_month
        WHERE batch = {batch:UInt64} AND (source = 'computed' OR NOT has({several:Array(Date)}, month))
    ),
    all_rates AS
    (
        SELECT * EXCEPT (published_on) FROM stored_rates
        UNION ALL
        SELECT
            series_id, month, kind, if(kind = 'synthetic', kind, 'stated'), if(tac BETWEEN 0 AND 1, tac, NULL), investor_class,
            if(first AND toDate(revision) - month > 62, month, toDate(revision)),
            true, toUInt64(label_order), revision, source_sha256, source_line
        FROM batch_tac_statement(batch = {batch:UInt64}, months = {several:Array(Date)}, all_months = false)
        WHERE reason IN ('', 'no_figure') AND series_id != 0
    )
