-- Every line that states the cost rate of a series in a month, of one kind, by publication (batch_tac_statement). The one
-- that counts is the one that tac_month keeps: of the lines under the name that was valid in the month, else under the newest
-- name, the one with the highest revision. The percentage is null where the line says NA, and takes back an older one.
--   month  its last day
--   kind   synthetic or real
SELECT
    month AS date, dataset, toNullable(serie) AS serie, percent AS value,
    toBool(row_number() OVER (ORDER BY label_order, revision DESC, source_sha256 DESC, source_line DESC) = 1) AS counts,
    revision AS published_at, toString(source_sha256) AS sha256, source_line AS line
FROM
(
    SELECT DISTINCT month, dataset, serie, percent, label_order, revision, source_sha256, source_line -- a line may be delivered twice
    FROM batch_tac_statement(batch = {batch:UInt64}, months = [{month:Date}], all_months = false)
    WHERE series_id = {series_id:UInt32} AND kind = {kind:String} AND reason IN ('', 'no_figure')
)
ORDER BY published_at, sha256, line
