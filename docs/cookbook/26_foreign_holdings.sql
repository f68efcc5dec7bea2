-- How much do funds of each category hold abroad, and where?
--
-- Answer: one row for each category: value of its portfolios in thousands of millions of pesos, percentage that
-- is foreign, and the largest foreign country with its percentage of the portfolios. A category that holds
-- nothing abroad has 0 percent foreign, and null as country and as its percentage.
-- Caveats: the country is that of the issuer: a fund of Luxembourg that holds shares of the United States counts
-- as Luxembourg. The newest month end, with mutual funds only, because investment funds report quarterly, last
-- on 2025-03-31. Funds without a category are left out.
-- Market: synthetic
SELECT
    category,
    round(sum(value_clp) / 1e9, 1)                                             AS thousand_million_pesos,
    round(100 * sum(if(market = 'E', value_clp, 0)) / sum(value_clp), 1)            AS foreign_percent,
    argMaxIf(country, (country_clp, country), market = 'E' AND country IS NOT NULL) AS largest_country,
    round(100 * maxIf(country_clp, market = 'E' AND country IS NOT NULL) / sum(value_clp), 1) AS country_percent
FROM
(
    SELECT
        listed.category AS category, held.market AS market, held.country AS country, held.value_clp AS value_clp,
        sum(held.value_clp) OVER (PARTITION BY listed.category, held.market, held.country) AS country_clp
    FROM funds.holdings AS held
    INNER JOIN funds.funds AS listed ON listed.fund_id = held.fund_id
    WHERE held.month = (SELECT last_date FROM funds.freshness WHERE dataset = 'holdings') AND listed.category IS NOT NULL
)
GROUP BY category
ORDER BY sum(if(market = 'E', value_clp, 0)) / sum(value_clp) DESC, category
