-- Stage one of the outlier rules (RULES 7): the largest daily and monthly change of a
-- category that is accepted, in either direction, as a fraction. A category that is not
-- listed has the caps of equity.
--   SELECT * FROM outlier_cap
CREATE OR REPLACE VIEW outlier_cap AS
SELECT category, daily, monthly
FROM values('category String, daily Float64, monthly Float64',
    ('money_market', 0.01, 0.03),
    ('fixed_income', 0.05, 0.12),
    ('balanced',     0.10, 0.25),
    ('equity',       0.20, 0.40),
    ('structured',   0.20, 0.40),
    ('other',        0.20, 0.40),
    ('',             0.20, 0.40))
