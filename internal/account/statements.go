package account

import _ "embed"

// The statements, one text for both databases.
var (
	//go:embed sql/authenticate.sql
	authenticateSQL string
	//go:embed sql/account_for_email.sql
	accountForEmailSQL string
	//go:embed sql/revoke_active.sql
	revokeActiveSQL string
	//go:embed sql/insert_key.sql
	insertKeySQL string
	//go:embed sql/spend.sql
	spendSQL string
	//go:embed sql/usage.sql
	usageSQL string
	//go:embed sql/keep_fingerprint.sql
	keepFingerprintSQL string
	//go:embed sql/fingerprint.sql
	fingerprintSQL string
)
