-- +goose Up

-- The categories are in a view now (sql/views/12_category_name.sql). A view is made anew at each
-- start, so that its rows can't be lost.
DROP TABLE IF EXISTS reference_category;

-- +goose Down
SELECT throwIf(true, 'categories are in a view: no way down');
