DELETE FROM sessions WHERE digest = $1
