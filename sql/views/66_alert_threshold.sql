-- The least change about which people are told, by the category of the family: the move of
-- the quota in a day, and the change of the annual cost rate (TAC) from one month to
-- another, in either direction. Fractions: 0.03 is 3 %. A category that is not listed has
-- the thresholds of other. docs/decisions/0013-alerts.md gives the reasons.
--   SELECT * FROM alert_threshold
CREATE OR REPLACE VIEW alert_threshold AS
SELECT category, daily, tac
FROM values('category String, daily Float64, tac Float64',
    ('money_market', 0.002, 0.0005),
    ('fixed_income', 0.010, 0.0010),
    ('balanced',     0.020, 0.0010),
    ('equity',       0.030, 0.0010),
    ('structured',   0.030, 0.0010),
    ('other',        0.030, 0.0010),
    ('',             0.030, 0.0010))
