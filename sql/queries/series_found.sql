-- Series that a text may mean, of mutual funds and of investment funds, each once, the most
-- likely first: by an id, by a complete RUN, with or without dots, dash and check digit, by
-- the beginning of a RUN, else by words that all occur in the names of fund and series or
-- in the RUN, ignoring case and accents. Of equal matches, open series come before closed
-- ones. ids are all ids that find the series, and the first is the one that is shown.
--   batch  number of the batch
--   q      the text
--   id     the text as an id in its standard form; empty: it is not an id
--   limit  greatest number of rows
WITH
    upper(replaceRegexpAll({q:String}, '[.\\s-]', ''))                  AS plain_q,
    arrayFilter(word -> word != '', splitByWhitespace(cuota_fold({q:String}))) AS words
SELECT ids, fund, run, serie, closed
FROM
(
    SELECT
        watchable.ids AS ids, funds.name AS fund, watchable.run AS run, watchable.serie AS serie,
        toBool(watchable.closed_on IS NOT NULL)                                                             AS closed,
        cuota_fold(concat(funds.name, ' serie ', watchable.serie, ' run ', watchable.run))                  AS text,
        multiIf(
            has(watchable.ids, {id:String}),                                                                1,
            plain_q IN (replaceAll(watchable.run, '-', ''), splitByChar('-', watchable.run)[1]),            2,
            plain_q != '' AND startsWith(watchable.run, plain_q),                                           3,
            notEmpty(words) AND arrayAll(word -> position(text, word) > 0, words),                          4,
            5)                                                                                              AS likeness
    FROM batch_watchable_series(batch = {batch:UInt64}) AS watchable
    INNER JOIN (SELECT fund_id, name FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = watchable.fund_id
)
WHERE likeness < 5
ORDER BY likeness, closed, fund, serie, ids
LIMIT {limit:UInt32}
