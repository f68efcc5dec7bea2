package webhook

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestADeliveryIsTriedTenTimesInThreeDays(t *testing.T) {
	failed := result{status: 500, failure: FailedStatus}
	var whole time.Duration
	for number := int64(1); number <= 9; number++ {
		if ended := (attempt{kind: BatchPublished, number: number}).ends(failed); ended != Waiting {
			t.Errorf("attempt %d ends the delivery as %q", number, ended)
		}
		pause := failed.pause(number)
		if least := pauses[number-1]; pause < least || pause >= least+least/10 {
			t.Errorf("after attempt %d the pause is %s, want from %s to a tenth longer", number, pause, least)
		}
		whole += pause
	}
	if whole < 3*24*time.Hour || whole > 84*time.Hour {
		t.Errorf("the attempts take %s", whole)
	}
	if ended := (attempt{kind: BatchPublished, number: 10}).ends(failed); ended != GivenUp {
		t.Errorf("after attempt 10 it is %q", ended)
	}
	different := map[time.Duration]bool{}
	for range 50 {
		different[failed.pause(5)] = true
	}
	if len(different) < 2 {
		t.Error("every pause is the same")
	}
}

func TestAReceiverMayAskForALongerPauseAndNotForAShorterOne(t *testing.T) {
	for asked, least := range map[time.Duration]time.Duration{0: 5 * time.Second, time.Second: 5 * time.Second,
		time.Hour: time.Hour} {
		if got := (result{status: 503, failure: FailedStatus, retryAfter: asked}).pause(1); got < least ||
			got > least+time.Second {
			t.Errorf("asked for %s: %s", asked, got)
		}
	}
}

func TestWhatIsKeptOfAReplyIsOneLineOfPrintableText(t *testing.T) {
	for given, want := range map[string]string{"": "", " a\r\n\tb\x00c\x1b[31m ": "a b c [31m", "\xff\xfeñ": "?ñ",
		"a\u202eb\u2028c": "a b c"} {
		if got := oneLine([]byte(given)); got != want {
			t.Errorf("%q gives %q, want %q", given, got, want)
		}
	}
	if got := oneLine(make([]byte, maxRead)); got != "" {
		t.Errorf("zeros give %q", got)
	}
	if n := len([]rune(oneLine([]byte(strings.Repeat("ñ", maxRead))))); n != maxReply {
		t.Errorf("%d characters are kept", n)
	}
}

// A proxy would connect to addresses that are refused here.
func TestNoProxyOfTheEnvironmentIsUsed(t *testing.T) {
	if newPoster(&Hooks{}).client.Transport.(*http.Transport).Proxy != nil {
		t.Error("a proxy may be used")
	}
}
