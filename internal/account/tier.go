package account

// Tier is the class of a key. It gives the quota of keys that have none of
// their own, so changing a tier's quota changes that of its existing keys too.
type Tier string

// The tiers and their requests a Santiago day (the interface contract, section 1).
const (
	Free          Tier = "free"          // 300; what registration gives
	Institutional Tier = "institutional" // 25,000; by agreement
	Internal      Tier = "internal"      // no limit; not for third parties
)

func (t Tier) valid() bool {
	return t == Free || t == Institutional || t == Internal
}

// dailyQuota is nil when the tier has no limit. A tier that isn't one has a
// quota of nothing.
func (t Tier) dailyQuota() *int64 {
	var quota int64
	switch t {
	case Free:
		quota = 300
	case Institutional:
		quota = 25_000
	case Internal:
		return nil
	}
	return &quota
}
