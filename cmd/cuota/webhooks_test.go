package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"cuota/internal/mail/mailtest"
)

// webhooksAreToldOnce registers a webhook at one of several servers with one account store. It checks that its receiver
// on this machine gets one signed message for each batch that is published from then on, and that the links in it lead
// somewhere. finish runs a command to its end.
func webhooksAreToldOnce(t *testing.T, relay *mailtest.Relay, apis []string, key string,
	finish func(...string) string) {
	t.Helper()
	send := func(method, path, body, session string, want int) (http.Header, string) {
		t.Helper()
		response, text := sendFrom(t, apis[0], method, apis[0]+path, "application/json", body, session)
		if response.StatusCode != want {
			t.Fatalf("%s %s gives %d: %s", method, path, response.StatusCode, text)
		}
		return response.Header, text
	}
	send(http.MethodPost, "/api/auth/magic-link", `{"email":"programmer@example.org","return_url":"`+apis[0]+`/account"}`,
		"", http.StatusAccepted)
	token := regexp.MustCompile(`token=([0-9A-Za-z]{43})`).FindStringSubmatch(relay.Next(t).Text)[1]
	header, _ := send(http.MethodPost, "/api/auth/callback", `{"token":"`+token+`"}`, "", http.StatusOK)
	session, _, _ := strings.Cut(header.Get("Set-Cookie"), ";")

	type arrived struct {
		header http.Header
		body   string
	}
	messages := make(chan arrived, 100)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err == nil {
			messages <- arrived{r.Header, string(body)}
		}
	}))
	defer receiver.Close()
	var made struct {
		Webhook struct{ ID string }
		Secret  string
	}
	_, text := send(http.MethodPost, "/api/me/webhooks", `{"url":"`+receiver.URL+`/hook"}`, session, http.StatusCreated)
	if err := json.Unmarshal([]byte(text), &made); err != nil {
		t.Fatal(err)
	}
	secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(made.Secret, "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	published := regexp.MustCompile(`published batch (\d+)`)
	previous := ""
	for range 2 {
		number := published.FindStringSubmatch(finish("project", "--now"))[1]
		var got arrived
		select {
		case got = <-messages:
		case <-time.After(patience):
			t.Fatalf("no message about batch %s arrived", number)
		}
		mac := hmac.New(sha256.New, secret)
		_, _ = io.WriteString(mac, got.header.Get("webhook-id")+"."+got.header.Get("webhook-timestamp")+"."+got.body)
		if signed := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); got.header.Get("webhook-signature") != signed {
			t.Errorf("the signature is %s, want %s", got.header.Get("webhook-signature"), signed)
		}
		var message struct {
			Type string
			Data struct {
				BatchID  string `json:"batch_id"`
				Previous string `json:"previous_batch_id"`
				Links    map[string]string
			}
		}
		if err := json.Unmarshal([]byte(got.body), &message); err != nil {
			t.Fatal(err)
		}
		if message.Type != "batch.published" || !strings.Contains(message.Data.BatchID, "-"+number+"-") ||
			previous != "" && message.Data.Previous != previous {
			t.Errorf("after batch %s, a message about batch %s: %s", previous, number, got.body)
		}
		for name, link := range message.Data.Links {
			if status, body := ask(t, link, key); status != http.StatusOK {
				t.Errorf("the link %s gives %d: %.300s", name, status, body)
			}
		}
		previous = message.Data.BatchID
	}
	_, text = sendFrom(t, apis[1], http.MethodGet, apis[1]+"/api/me/webhooks/"+made.Webhook.ID+"/deliveries", "", "", session)
	if strings.Count(text, `"batch_id"`) != 2 || strings.Contains(text, `"attempts":2`) {
		t.Errorf("the log is %s", text)
	}
	if len(messages) > 0 {
		t.Errorf("%d messages came twice", len(messages))
	}
	send(http.MethodDelete, "/api/me/webhooks/"+made.Webhook.ID, "", session, http.StatusNoContent)
}
