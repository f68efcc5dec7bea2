-- Who is signed in with a session seen after $2 and begun after $3.
SELECT a.id, a.email, a.created_at, a.alerts, a.monthly_summary, s.seen_at
FROM sessions AS s JOIN accounts AS a ON a.id = s.account_id
WHERE s.digest = $1 AND s.seen_at > $2 AND s.created_at > $3
