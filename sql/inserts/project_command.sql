INSERT INTO project_command (id, rebuild, asked_at)
