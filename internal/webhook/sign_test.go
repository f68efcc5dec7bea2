package webhook

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"
)

// The example that the libraries of Standard Webhooks are tested with.
func TestTheSignatureIsThatOfStandardWebhooks(t *testing.T) {
	got, err := signatures([]string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}, "msg_p5jXN8AQM9LWM0D4loKWxJek",
		time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

func TestASecretHasTheFormOfStandardWebhooksAndIsRandom(t *testing.T) {
	seen := map[string]bool{}
	for range 100 {
		secret := newSecret()
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if !strings.HasPrefix(secret, "whsec_") || err != nil || len(key) < 24 || len(key) > 64 || seen[secret] {
			t.Fatalf("a secret of %d bytes: %v", len(key), err)
		}
		seen[secret] = true
	}
	if _, err := signatures([]string{"whsec_ñ"}, "id", time.Unix(0, 0), nil); err == nil ||
		strings.Contains(err.Error(), "ñ") {
		t.Errorf("a damaged secret gives %v", err)
	}
}
