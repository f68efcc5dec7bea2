-- What series_profile.sql gives at the cutoff and with the newest cost rates, for every series of mutual
-- funds that has a quota by then, from the tables of the batch. A series is left out if its first or
-- its latest day is void: those tables do not have its first or latest quota.
SELECT
    identity.series_id AS series_id, identity.run AS run, identity.serie AS serie,
    nullIf(funds.fund, '') AS fund, nullIf(funds.manager, '') AS manager, nullIf(toString(funds.vehicle), '') AS vehicle,
    funds.ended AS fund_ended,
    toString(identity.last_category) AS category, toString(identity.last_family) AS family, said.family_since AS family_since, said.category_since AS category_since,
    toString(identity.investor_class) AS investor_class, false AS class_later,
    stated.apv AS apv, stated.digital AS digital, stated.qualified AS qualified, toNullable(toBool(identity.current)) AS alive,
    toNullable(identity.first_date) AS first_date, toNullable(latest.date) AS last_date, latest.quota AS quota, latest.equity AS equity,
    latest.shareholders AS shareholders, toString(identity.currency) AS currency,
    identity.tac AS tac, toString(identity.tac_kind) AS tac_kind, identity.tac_date AS tac_date
FROM
(
    SELECT
        series_id, run, serie, last_category, last_family, coalesce(class_dated, class_tac) AS investor_class, current, first_date, currency,
        tac, tac_kind, tac_date
    FROM series
    WHERE batch = {batch:UInt64}
) AS identity
INNER JOIN (SELECT series_id, date, quota, equity, shareholders FROM series_latest WHERE batch = {batch:UInt64} AND quota IS NOT NULL) AS latest
    ON latest.series_id = identity.series_id
LEFT ANY JOIN (SELECT run, name AS fund, manager, vehicle, ended FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.run = identity.run
LEFT JOIN
(
    SELECT
        known.series_id AS series_id,
        minOrNullIf(said.stated_on, said.family_rar = known.last_family) AS family_since,
        minOrNullIf(said.stated_on, said.category = known.last_category) AS category_since
    FROM (SELECT series_id, stated_on, family_rar, category FROM classification WHERE batch = {batch:UInt64}) AS said
    INNER JOIN (SELECT series_id, last_family, last_category FROM series WHERE batch = {batch:UInt64}) AS known ON known.series_id = said.series_id
    GROUP BY known.series_id
) AS said ON said.series_id = identity.series_id
LEFT JOIN eligibility_as_of(batch = {batch:UInt64}, as_of = '2149-06-06') AS stated ON stated.series_id = identity.series_id
WHERE (identity.series_id, identity.first_date) NOT IN
(
    SELECT series_id, date FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true) WHERE quota IS NULL
)
SETTINGS join_use_nulls = 1
