-- Series that a text may mean, of mutual funds and of investment funds, each once,
-- the likeliest first: by an id; by a whole RUN, with or without dots, dash and check
-- digit; by the beginning of one; else by words that all occur in the names of fund
-- and series or in the RUN, whatever case and accents. Of equals, those that are open
-- come before those that are over. ids are all that find the series, the first is the
-- one it is shown under.
--   batch  number of the batch
--   q      the text
--   id     the text as an id in its one form; empty: it is none
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
    FROM watchable_of(batch = {batch:UInt64}) AS watchable
    INNER JOIN (SELECT fund_id, name FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = watchable.fund_id
)
WHERE likeness < 5
ORDER BY likeness, closed, fund, serie, ids
LIMIT {limit:UInt32}
