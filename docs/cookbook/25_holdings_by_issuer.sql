-- Whose papers do funds hold most of?
--
-- Answer: the fifteen largest issuers of national instruments at the newest month end: RUT, number of funds that
-- hold any, value in thousands of millions of pesos, and percentage of all national holdings with a RUT.
-- Caveats: mutual funds only, because investment funds report quarterly, last on 2025-03-31. A fund states the
-- RUT of a national issuer and the name of a foreign one. Papers of one group with several RUTs are several
-- issuers.
-- Market: synthetic
SELECT
    issuer_rut,
    uniqExact(run)                                                    AS funds,
    round(sum(value_clp) / 1e9, 2)                                    AS thousand_million_pesos,
    round(100 * sum(value_clp) / (sum(sum(value_clp)) OVER ()), 2)    AS percent_of_national
FROM funds.holdings
WHERE month = (SELECT last_date FROM funds.freshness WHERE dataset = 'holdings') AND market = 'N' AND issuer_rut IS NOT NULL
GROUP BY issuer_rut
ORDER BY sum(value_clp) DESC, issuer_rut
LIMIT 15
