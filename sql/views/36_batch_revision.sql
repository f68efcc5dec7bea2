-- Every line that states a day of some series between {from} and {to}, as batch N sees them: with what it states, and whether it is the one
-- that counts of its series and day. That is the line under the name that was valid on the day, else under the newest
-- name, and of these the one with the highest revision, as batch_outranked_quota, batch_quota and
-- batch_investment_value say of all series. Of several lines of one file about one day the last one is kept, because
-- the table of facts keeps only that (fact_quota).
-- void is set where the line has no quota that can be used: a rejected line, or a quota that is not above 0 (RULES 1).
-- currency is null where the line states none. costs are those of the day, and bearing is the equity that bore them
-- (RULES 2); they are null in lines of investment funds. stated_factor is what the line multiplies the quota by.
-- Lines of other days are not read.
--   SELECT date, quota, counts FROM batch_revision(batch = 7, series = [4047362302], from = '2025-07-01', to = '2025-07-31') ORDER BY date, published_at
CREATE OR REPLACE VIEW batch_revision AS
WITH
    names AS
    (
        SELECT 'cartola' AS of_dataset, run, serie, series_id, position, valid_from, valid_until
        FROM batch_series_name(batch = {batch:UInt64})
        WHERE series_id IN {series:Array(UInt32)}
        UNION ALL
        SELECT 'fi-values', run, serie, id, 1, toDate('1970-01-01'), toDate('2149-06-06')
        FROM registry
        WHERE kind = 'fi_series' AND batch <= {batch:UInt64} AND id IN {series:Array(UInt32)}
    )
SELECT
    names.series_id AS series_id, toString(stated.serie) AS serie, stated.date AS date, stated.dataset AS dataset,
    stated.quota AS quota, stated.equity AS equity, stated.shareholders AS shareholders,
    nullIf(cuota_currency(stated.moneda), '') AS currency, stated.costs AS costs, stated.bearing AS bearing, stated.stated_factor AS stated_factor,
    toBool(stated.void OR NOT ifNull(stated.quota > 0, false)) AS void,
    toBool(row_number() OVER
    (
        PARTITION BY names.series_id, stated.date
        ORDER BY stated.date BETWEEN names.valid_from AND names.valid_until DESC, names.position,
                 stated.revision DESC, stated.sha256 DESC, stated.line DESC, stated.void
    ) = 1) AS counts,
    stated.revision AS published_at, stated.sha256 AS sha256, stated.line AS line
FROM
(
    SELECT
        'cartola' AS dataset, run, serie, date, quota, equity, shareholders, toString(moneda) AS moneda, void,
        fixed_fee + variable_fee + affected_expenses + unaffected_expenses AS costs,
        CAST(units_outstanding + units_redeemed - units_contributed, 'Nullable(Decimal(38, 4))') * fact_quota.quota AS bearing,
        toDecimal128(ifNull(adjustment_factor, 1), 9) * ifNull(distribution_factor, 1) AS stated_factor,
        revision, toString(source_sha256) AS sha256, source_line AS line
    FROM fact_quota
    WHERE date BETWEEN {from:Date} AND {to:Date} AND (run, serie) IN (SELECT run, serie FROM names WHERE of_dataset = 'cartola')
    UNION ALL
    SELECT
        'fi-values', run, serie, date, book_value, equity, contributors, toString(moneda), void, NULL, NULL, 1,
        revision, toString(source_sha256), source_line
    FROM fact_investment_value
    WHERE date BETWEEN {from:Date} AND {to:Date} AND (run, serie) IN (SELECT run, serie FROM names WHERE of_dataset = 'fi-values')
) AS stated
INNER JOIN names ON names.of_dataset = stated.dataset AND names.run = stated.run AND names.serie = stated.serie
WHERE stated.sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
ORDER BY series_id, stated.run, stated.serie, date, published_at, sha256, line DESC, stated.void, counts DESC
LIMIT 1 BY series_id, stated.run, stated.serie, date, published_at, sha256
