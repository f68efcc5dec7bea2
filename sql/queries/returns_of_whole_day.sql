-- The rows of returns_of_day_lines.sql as one text, because thousands of short texts take longer to read.
SELECT groupConcat(lines) AS lines FROM queries.returns_of_day_lines
SETTINGS max_threads = 1 -- the rows are few
