-- Indexes for every filter and every sort of the screener, made once the rows
-- are there. A sort by a window always has a currency, one by spheres a family
-- and a class; both directions end with the series that have no value.
CREATE INDEX ON screener USING gin (folded_manager gin_trgm_ops);

CREATE INDEX ON screener (lower_category);
CREATE INDEX ON screener (lower_family);
CREATE INDEX ON screener (lower_class);
CREATE INDEX ON screener (currency, series_id);

CREATE INDEX ON screener (tac, series_id);
CREATE INDEX ON screener (tac DESC NULLS LAST, series_id);
CREATE INDEX ON screener (currency, tac, series_id);
CREATE INDEX ON screener (currency, tac DESC NULLS LAST, series_id);
CREATE INDEX ON screener (family_rar, class_dated, spheres, series_id);
CREATE INDEX ON screener (family_rar, class_dated, spheres DESC NULLS LAST, series_id);

CREATE INDEX ON screener (currency, return_1m, series_id);
CREATE INDEX ON screener (currency, return_1m DESC NULLS LAST, series_id);
CREATE INDEX ON screener (currency, return_3m, series_id);
CREATE INDEX ON screener (currency, return_3m DESC NULLS LAST, series_id);
CREATE INDEX ON screener (currency, return_6m, series_id);
CREATE INDEX ON screener (currency, return_6m DESC NULLS LAST, series_id);
CREATE INDEX ON screener (currency, return_1y, series_id);
CREATE INDEX ON screener (currency, return_1y DESC NULLS LAST, series_id);
CREATE INDEX ON screener (currency, return_ytd, series_id);
CREATE INDEX ON screener (currency, return_ytd DESC NULLS LAST, series_id);
CREATE INDEX ON screener (currency, return_3y_ann, series_id);
CREATE INDEX ON screener (currency, return_3y_ann DESC NULLS LAST, series_id);
CREATE INDEX ON screener (currency, return_5y_ann, series_id);
CREATE INDEX ON screener (currency, return_5y_ann DESC NULLS LAST, series_id);
CREATE INDEX ON screener (currency, return_last_closed_month, series_id);
CREATE INDEX ON screener (currency, return_last_closed_month DESC NULLS LAST, series_id);
