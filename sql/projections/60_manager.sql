-- Managers (AGF) of funds of every vehicle. Those that only the register of
-- investment funds names have no RUT.
INSERT INTO manager (batch, manager_id, rut, name, mutual_funds, investment_funds, etfs)
WITH
    mutual AS
    (
        SELECT manager_rut AS rut, count() AS funds FROM fund_of(batch = {batch:UInt64}) GROUP BY manager_rut
    ),
    investment AS
    (
        SELECT cuota_words(manager) AS words, min(manager) AS name, count() AS funds
        FROM investment_fund_of(batch = {batch:UInt64}) GROUP BY words
    ),
    registered AS
    (
        SELECT id, run AS rut, serie AS words, key FROM registry
        WHERE kind = 'manager'
          AND key IN (SELECT key FROM registry_candidate(batch = {batch:UInt64}) WHERE kind = 'manager')
    )
SELECT
    {batch:UInt64},
    registered.id,
    if(registered.rut = 0, NULL, substring(registered.key, 5)),
    if(registered.rut = 0, by_words.name, named.name),
    mutual.funds,
    if(registered.rut = 0, by_words.funds, by_name.funds),
    0
FROM registered
LEFT JOIN manager_of(batch = {batch:UInt64}) AS named ON named.rut = registered.rut
LEFT JOIN mutual ON mutual.rut = registered.rut
LEFT JOIN investment AS by_words ON by_words.words = registered.words
LEFT JOIN investment AS by_name ON by_name.words = cuota_words(named.name) AND named.name != ''
