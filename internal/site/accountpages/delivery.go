package accountpages

import (
	"fmt"
	"time"

	"cuota/internal/santiago"
	"cuota/internal/site/locale"
	"cuota/model"
)

// moment writes a moment as people in Santiago read it.
func moment(l locale.Language, at time.Time) string {
	at = at.In(santiago.Zone)
	return l.Day(model.DateOf(at)) + " " + at.Format("15:04:05")
}

// failures say what went wrong in an attempt without a status.
var failures = map[string]locale.Phrase{
	"timeout":  {"No hubo respuesta en 15 segundos", "There was no response within 15 seconds"},
	"name":     {"No se encontró el nombre del servidor", "The name of the server was not found"},
	"internal": {"El servidor está en una red privada", "The server is in a private network"},
	"connect":  {"No se pudo conectar", "The server could not be connected to"},
	"tls":      {"Falló el certificado o TLS", "The certificate or TLS failed"},
	"reply":    {"La respuesta no era HTTP, o se cortó", "The response was not HTTP, or was cut off"},
	"sealed": {"El secreto guardado no se puede leer: quite el webhook y regístrelo de nuevo",
		"The stored secret can't be read: remove the webhook and register it again"},
}

// states say what has become of a message.
var states = map[string]locale.Phrase{
	"":          {"Pendiente", "Waiting"},
	"delivered": {"Entregado", "Delivered"},
	"given_up":  {"Abandonado", "Given up"},
	"disabled":  {"No se envió: el webhook se desactivó", "Not sent: the webhook was disabled"},
}

// became says what has become of a message, and why.
func became(d Delivery) locale.Phrase {
	state := states[d.State]
	why := failures[d.Failure]
	switch {
	case d.Failure == "redirect":
		why = locale.Phrase{fmt.Sprintf("HTTP %d: las redirecciones no se siguen", d.Status),
			fmt.Sprintf("HTTP %d: redirects are not followed", d.Status)}
	case d.Status != 0:
		status := fmt.Sprintf("HTTP %d", d.Status)
		why = locale.Phrase{status, status}
	case d.Failure == "":
		return state
	}
	return locale.Phrase{state[0] + ". " + why[0], state[1] + ". " + why[1]}
}
