-- The rows of all_series.sql, whose parameters it has.
SELECT
    rows.asset_id AS asset_id, rows.series_id AS series_id, rows.fund_id AS fund_id, rows.manager_id AS manager_id,
    rows.run AS run, rows.serie AS serie, rows.fund AS fund, rows.manager AS manager, rows.vehicle AS vehicle,
    rows.last_category AS last_category, rows.last_family AS last_family, rows.currency AS currency,
    rows.first_date AS first_date, rows.last_date AS last_date, rows.status AS status, arrayStringConcat(rows.alias_ids, ' ') AS alias_ids
FROM queries.all_series AS rows
WHERE rows.run != ''
ORDER BY rows.fund, rows.serie, rows.series_id
