-- Managers (AGF) with the number of their funds of each vehicle. Each fund counts for one
-- vehicle (RULES 11). The register of investment funds states no RUT: a name in it is a
-- manager of its own as long as no manager with a RUT has that name.
INSERT INTO manager (batch, manager_id, rut, name, mutual_funds, investment_funds, etfs)
WITH
    etf AS (SELECT run FROM batch_vehicle(batch = {batch:UInt64}) WHERE is_etf),
    mutual AS
    (
        SELECT manager_rut AS rut, countIf(run NOT IN etf AND run NOT IN (SELECT run FROM batch_investment_fund(batch = {batch:UInt64}))) AS funds,
               countIf(run IN etf AND run NOT IN (SELECT run FROM batch_investment_fund(batch = {batch:UInt64}))) AS etfs
        FROM batch_fund(batch = {batch:UInt64}) GROUP BY manager_rut
    ),
    investment AS
    (
        SELECT cuota_words(manager) AS words, min(manager) AS name, countIf(run NOT IN etf) AS funds, countIf(run IN etf) AS etfs
        FROM batch_investment_fund(batch = {batch:UInt64}) GROUP BY words
    ),
    registered AS
    (
        SELECT id, run AS rut, serie AS words, key FROM registry
        WHERE kind = 'manager'
          AND (rut != 0 AND rut IN (SELECT rut FROM batch_manager(batch = {batch:UInt64}))
               OR rut = 0 AND words IN (SELECT words FROM investment)
                  AND words NOT IN (SELECT cuota_words(name) FROM batch_manager(batch = {batch:UInt64})))
    )
SELECT
    {batch:UInt64},
    registered.id,
    if(registered.rut = 0, NULL, substring(registered.key, 5)),
    if(registered.rut = 0, by_words.name, named.name),
    mutual.funds,
    if(registered.rut = 0, by_words.funds, by_name.funds),
    mutual.etfs + if(registered.rut = 0, by_words.etfs, by_name.etfs)
FROM registered
LEFT JOIN batch_manager(batch = {batch:UInt64}) AS named ON named.rut = registered.rut
LEFT JOIN mutual ON mutual.rut = registered.rut
LEFT JOIN investment AS by_words ON by_words.words = registered.words
LEFT JOIN investment AS by_name ON by_name.words = cuota_words(named.name) AND named.name != ''
