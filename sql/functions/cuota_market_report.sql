-- How completely the market has reported a day (RULES 1): (date, rows, series with a quote, series counted, void rows,
-- equity of the series counted, the part of it that has a row, has data, complete). day is (date, rows, quotes, cells).
-- A cell has the series of which the newest row before the day, and the last quote before it, are of the same two
-- days: (newest, quoted, present, missing, present_equity, missing_equity). The newest row of a series without an
-- earlier one is that of the day. last is the last complete day before the day, 1970-01-01 if there is none.
--
-- Counted are the series with a row on the day, and those with one since the last complete day, or in the seven days
-- before if that is earlier. Series that have been silent for more than 95 days are left out if they are fewer than
-- the others. One rejected row counts as a quote, several do not. On a day with data, half of the series counted
-- have a quote.
CREATE OR REPLACE FUNCTION cuota_market_report AS
    (day, last) ->
    arrayMap(
        cells -> arrayMap(
            waited -> arrayMap(
                counted ->
                (
                    day.1, day.2, day.3, counted.1, toUInt64(day.2 - day.3), counted.2, counted.3,
                    toBool(day.3 > 0 AND 2 * day.3 >= counted.1),
                    toBool(day.3 > 0 AND 2 * day.3 >= counted.1 AND 100 * if(day.2 - day.3 > 1, day.3, day.2) >= 98 * counted.1
                               AND 100 * counted.3 >= 99 * counted.2)
                ),
                [(
                    arraySum(cell -> cell.3 + cell.4, waited),
                    arraySum(cell -> if(cell.2 >= least(last, day.1 - 7), cell.5 + cell.6, toDecimal128(0, 10)), waited),
                    arraySum(cell -> if(cell.2 >= least(last, day.1 - 7), cell.5, toDecimal128(0, 10)), waited)
                )])[1],
            [arrayMap(
                cell -> if(cell.1 < day.1 - 95
                               AND 2 * arraySum(c -> if(c.1 < day.1 - 95, c.4, 0), cells) < arraySum(c -> c.3 + c.4, cells),
                           (cell.1, cell.2, cell.3, toUInt64(0), cell.5, toDecimal128(0, 10)), cell),
                cells)])[1],
        [arrayMap(
            cell -> if(cell.1 >= least(last, day.1 - 7), cell, (cell.1, cell.2, cell.3, toUInt64(0), cell.5, toDecimal128(0, 10))),
            day.4)])[1]
