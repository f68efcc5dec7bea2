-- +goose Up

-- Once made the table of categories, which is a view now (00027_categories.sql).
SELECT 1;

-- +goose Down
SELECT 1;
