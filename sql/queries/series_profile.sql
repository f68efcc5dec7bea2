-- What a series is at a date, for its page: its fund, how it is classified, its first and last
-- quote up to the date, and its cost rate. Always one row. Family and category are those that were stated last, with the day on which
-- a file first stated them (family_since, category_since). The investor class is that of the files in force at the date, else the
-- newest one; class_later then says that it was stated later.
--   run        RUN of its fund without check digit
--   tac_as_of  the date of the cost rate, and of what says for whom the series is; 2149-06-06 for the newest ones
WITH coalesce(nullIf(toString(compared.class), ''), nullIf(toString(rate.class), '')) AS class_in_force
SELECT
    nullIf(funds.fund, '') AS fund, nullIf(funds.manager, '') AS manager, nullIf(toString(funds.vehicle), '') AS vehicle,
    funds.ended AS fund_ended,
    toString(identity.category) AS category, toString(identity.last_family) AS family, said.family_since AS family_since, said.category_since AS category_since,
    coalesce(class_in_force, toString(identity.investor_class)) AS investor_class,
    toBool(class_in_force IS NULL AND identity.investor_class IS NOT NULL) AS class_later,
    stated.apv AS apv, stated.digital AS digital, stated.qualified AS qualified, toBool(identity.current OR instrument.current) AS alive,
    days.first_date AS first_date, days.last_date AS last_date, days.last.1 AS quota, days.last.2 AS equity, days.last.3 AS shareholders,
    if(days.last.4 IN ('PESOS', 'DOLAR'), toNullable(toString(days.last.4)), NULL) AS currency,
    rate.tac AS tac, toString(rate.tac_kind) AS tac_kind, rate.date AS tac_date
FROM
(
    SELECT
        minOrNullIf(date, quota IS NOT NULL) AS first_date, maxOrNullIf(date, quota IS NOT NULL) AS last_date,
        argMaxIf((quota, equity, shareholders, currency), date, quota IS NOT NULL) AS last
    FROM batch_series_day(batch = {batch:UInt64}, series = [{series_id:UInt32}], all_series = false)
    WHERE date <= {as_of:Date}
) AS days
LEFT JOIN
(
    SELECT name AS fund, manager, vehicle, ended FROM fund
    WHERE batch = {batch:UInt64} AND run = cuota_rol({run:UInt32})
    LIMIT 1
) AS funds ON true
LEFT JOIN
(
    SELECT last_category AS category, last_family, coalesce(class_dated, class_tac) AS investor_class, current FROM series
    WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32}
) AS identity ON true
LEFT JOIN
(
    SELECT current FROM fi_instrument
    WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32}
) AS instrument ON true
LEFT JOIN
(
    SELECT
        minOrNullIf(classified.stated_on, classified.family_rar = known.last_family) AS family_since,
        minOrNullIf(classified.stated_on, classified.category = known.last_category) AS category_since
    FROM (SELECT stated_on, family_rar, category FROM classification WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32}) AS classified
    CROSS JOIN (SELECT last_family, last_category FROM series WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32}) AS known
) AS said ON true
LEFT JOIN
(
    SELECT investor_class AS class FROM series_official_return_as_of(batch = {batch:UInt64}, as_of = {tac_as_of:Date})
    WHERE series_id = {series_id:UInt32}
) AS compared ON true
LEFT JOIN
(
    SELECT tac, tac_kind, date, investor_class AS class FROM tac_as_of(batch = {batch:UInt64}, as_of = {tac_as_of:Date})
    WHERE series_id = {series_id:UInt32}
) AS rate ON true
LEFT JOIN
(
    SELECT apv, digital, qualified FROM eligibility_as_of(batch = {batch:UInt64}, as_of = {tac_as_of:Date})
    WHERE series_id = {series_id:UInt32}
) AS stated ON true
SETTINGS join_use_nulls = 1
