-- The screener's rows as PostgreSQL would hold them: what market.sql gives of a
-- series, and the forms that the filters and sorts compare, which PostgreSQL
-- computes when a row is stored. Names are without case and accents, RUNs in lower
-- case, with and without their dash. A closed month in a currency that the series
-- has left sorts like a row without a value.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE TABLE screener
(
    series_id                 bigint PRIMARY KEY,
    fund_id                   bigint NOT NULL,
    run                       text NOT NULL,
    serie                     text NOT NULL,
    manager                   text NOT NULL,
    fund                      text NOT NULL,
    category                  text,
    family_rar                text,
    family_display            text,
    family_studies            text,
    class_dated               text,
    classification_date       date,
    class_tac                 text,
    currency                  text,
    tac                       double precision,
    tac_kind                  text,
    tac_date                  date,
    price                     numeric(18, 6),
    price_date                date NOT NULL,
    daily_change              double precision,
    monthly_change            double precision,
    equity                    numeric(18, 4),
    previous_equity           numeric(18, 4),
    month_equity              numeric(18, 4),
    shareholders              bigint,
    spheres                   smallint,
    spheres_reason            text,
    spheres_date              date,
    spheres_loaded_at         timestamptz,
    spheres_sha256            text,
    volatility_monthly_12m    double precision,
    volatility_monthly_36m    double precision,
    volatility_annualized_12m double precision,
    volatility_annualized_36m double precision,
    max_drawdown_36m          double precision,
    risk_level                text,
    risk_score                smallint,
    risk_date                 date,
    risk_method_version       text,
    previous_serie            text,
    current_serie             text,
    first_current_date        date,
    alias_ids                 bigint[] NOT NULL,
    returns                   double precision[] NOT NULL, -- in the order of the windows
    currency_last_closed_month text, -- of the last of them
    reasons                   text[] NOT NULL,
    starts                    date[] NOT NULL,
    ends                      date[] NOT NULL,

    folded_manager            text GENERATED ALWAYS AS (lower(regexp_replace(normalize(manager, NFD), '[\u0300-\u036f]', '', 'g') COLLATE "und-x-icu")) STORED,
    lower_category            text GENERATED ALWAYS AS (lower(category COLLATE "und-x-icu")) STORED,
    lower_family              text GENERATED ALWAYS AS (lower(family_rar COLLATE "und-x-icu")) STORED,
    lower_class               text GENERATED ALWAYS AS (lower(coalesce(class_dated, class_tac) COLLATE "und-x-icu")) STORED,
    return_1m                 double precision GENERATED ALWAYS AS (returns[1]) STORED,
    return_3m                 double precision GENERATED ALWAYS AS (returns[2]) STORED,
    return_6m                 double precision GENERATED ALWAYS AS (returns[3]) STORED,
    return_1y                 double precision GENERATED ALWAYS AS (returns[4]) STORED,
    return_ytd                double precision GENERATED ALWAYS AS (returns[5]) STORED,
    return_3y_ann             double precision GENERATED ALWAYS AS (returns[6]) STORED,
    return_5y_ann             double precision GENERATED ALWAYS AS (returns[7]) STORED,
    return_last_closed_month  double precision GENERATED ALWAYS AS (CASE WHEN currency_last_closed_month = currency THEN returns[8] END) STORED
);
