package connect

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"cuota/internal/eventlog"
)

func TestBrokersThatStayAwayAreReportedWithARemedy(t *testing.T) {
	away := &eventlog.UnavailableError{Brokers: eventlog.At("kafka.example.org:9092"), After: time.Minute,
		Err: errors.New("connection refused")}
	told := Advised(fmt.Errorf("ensure topics: %w", away), AdviceServers).Error()
	for _, part := range []string{"kafka.example.org:9092", "1m0s", "connection refused", "CUOTA_KAFKA",
		"CUOTA_KAFKA_TLS", "CUOTA_KAFKA_SASL"} {
		if !strings.Contains(told, part) {
			t.Errorf("%q lacks %q", told, part)
		}
	}
	other := errors.New("another error")
	if got := Advised(other, AdviceServers); got != other {
		t.Errorf("another error became %v", got)
	}
	if Advised(nil, AdviceServers) != nil {
		t.Error("no error became one")
	}
}
