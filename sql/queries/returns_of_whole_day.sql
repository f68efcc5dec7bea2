-- The rows of returns_of_day_lines.sql as one text, because thousands of short texts take longer to read.
SELECT groupConcat(lines) AS lines FROM queries.returns_of_day_lines
SETTINGS max_threads = 1 -- for so few rows, starting a second thread takes longer than it saves
