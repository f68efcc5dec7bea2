INSERT INTO plan_attempt (plan, attempt)
