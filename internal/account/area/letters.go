package area

import (
	"embed"

	"cuota/internal/account"
	"cuota/internal/mail"
)

//go:embed mails
var mailFiles embed.FS

var letters = mail.ParseLetters(mailFiles, "mails")

// letter is the data of a mail with a link.
type letter struct {
	Link    string
	Site    string
	Minutes int // how long the link is valid
}

func (a *Handler) registerLetter(link string) mail.Message {
	return letters.Write("register", "Confirme su correo: clave de API / Confirm your e-mail: API key",
		letter{link, a.base.Host, int(account.RegisterWithin.Minutes())})
}

func (a *Handler) signInLetter(link string) mail.Message {
	return letters.Write("sign-in", "Su enlace para entrar / Your link to sign in",
		letter{link, a.base.Host, int(account.SignInWithin.Minutes())})
}
