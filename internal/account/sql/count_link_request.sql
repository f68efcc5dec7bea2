-- Counts one link, sign-in elsewhere or test of a webhook for $1 in the span that ends at $2, unless $3 were asked for
-- already: then no row.
INSERT INTO link_requests (subject, ends_at, requests)
VALUES ($1, $2, 1)
ON CONFLICT (subject, ends_at) DO UPDATE SET requests = link_requests.requests + 1
WHERE link_requests.requests < $3
RETURNING requests
