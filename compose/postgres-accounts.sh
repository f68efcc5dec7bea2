#!/bin/sh
# Creates the owner of the account store, who is not a superuser. The server runs this
# script once, when its volume is empty.
set -eu
psql --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
	--set database="$POSTGRES_DB" <<'SQL'
\getenv password ACCOUNTS_PASSWORD
CREATE ROLE accounts LOGIN PASSWORD :'password';
ALTER DATABASE :"database" OWNER TO accounts;
REVOKE CONNECT ON DATABASE :"database" FROM PUBLIC;
SQL
