package mail

import (
	"bytes"
	"fmt"
	htmltemplate "html/template"
	"io/fs"
	texttemplate "text/template"
)

// Letters are templates of messages: NAME.txt is what the plain alternative of
// the letter NAME says, NAME.html the other one.
type Letters struct {
	texts *texttemplate.Template
	pages *htmltemplate.Template
}

// ParseLetters reads the templates in a folder of the program's own files, and
// panics where one is wrong.
func ParseLetters(files fs.FS, folder string) *Letters {
	return &Letters{
		texts: texttemplate.Must(texttemplate.ParseFS(files, folder+"/*.txt")),
		pages: htmltemplate.Must(htmltemplate.ParseFS(files, folder+"/*.html")),
	}
}

// Write makes the message of a letter, to nobody yet. It panics where a template
// does not know what to do with said.
func (l *Letters) Write(name, subject string, said any) Message {
	var text, html bytes.Buffer
	if err := l.texts.ExecuteTemplate(&text, name+".txt", said); err != nil {
		panic(fmt.Errorf("write the mail %s: %w", name, err)) // our own template
	}
	if err := l.pages.ExecuteTemplate(&html, name+".html", said); err != nil {
		panic(fmt.Errorf("write the mail %s: %w", name, err))
	}
	return Message{Subject: subject, Text: text.String(), HTML: html.String()}
}
