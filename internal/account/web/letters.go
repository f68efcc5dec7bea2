package web

import (
	"bytes"
	"embed"
	"fmt"
	htmltemplate "html/template"
	texttemplate "text/template"

	"cuota/internal/account"
	"cuota/internal/mail"
)

//go:embed mails
var mailFiles embed.FS

var (
	mailTexts = texttemplate.Must(texttemplate.ParseFS(mailFiles, "mails/*.txt"))
	mailPages = htmltemplate.Must(htmltemplate.ParseFS(mailFiles, "mails/*.html"))
)

// letter is what a mail with a link says.
type letter struct {
	Link    string
	Site    string
	Minutes int // that the link can be used
}

func (a *Area) registerLetter(link string) mail.Message {
	return a.write("register", "Confirme su correo: clave de API / Confirm your e-mail: API key",
		letter{link, a.base.Host, int(account.RegisterWithin.Minutes())})
}

func (a *Area) signInLetter(link string) mail.Message {
	return a.write("sign-in", "Su enlace para entrar / Your link to sign in",
		letter{link, a.base.Host, int(account.SignInWithin.Minutes())})
}

func (a *Area) write(name, subject string, l letter) mail.Message {
	var plain, page bytes.Buffer
	if err := mailTexts.ExecuteTemplate(&plain, name+".txt", l); err != nil {
		panic(fmt.Errorf("write the mail %s: %w", name, err)) // our own template
	}
	if err := mailPages.ExecuteTemplate(&page, name+".html", l); err != nil {
		panic(fmt.Errorf("write the mail %s: %w", name, err))
	}
	return mail.Message{Subject: subject, Text: plain.String(), HTML: page.String()}
}
