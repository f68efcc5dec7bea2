package mail

import (
	"bytes"
	"fmt"
	htmltemplate "html/template"
	"io/fs"
	texttemplate "text/template"
)

// Letters are the templates of messages. NAME.txt is the plain text of the letter NAME, and
// NAME.html its HTML.
type Letters struct {
	texts *texttemplate.Template
	pages *htmltemplate.Template
}

// ParseLetters parses the embedded templates in a folder. It panics if a template is not valid.
func ParseLetters(files fs.FS, folder string) *Letters {
	return &Letters{
		texts: texttemplate.Must(texttemplate.ParseFS(files, folder+"/*.txt")),
		pages: htmltemplate.Must(htmltemplate.ParseFS(files, folder+"/*.html")),
	}
}

// Write makes the message of a letter from the data said, without id and recipient. It panics
// if a template can't use the data.
func (l *Letters) Write(name, subject string, said any) Message {
	var text, html bytes.Buffer
	if err := l.texts.ExecuteTemplate(&text, name+".txt", said); err != nil {
		panic(fmt.Errorf("write the mail %s: %w", name, err)) // a fault of this program's own template
	}
	if err := l.pages.ExecuteTemplate(&html, name+".html", said); err != nil {
		panic(fmt.Errorf("write the mail %s: %w", name, err))
	}
	return Message{Subject: subject, Text: text.String(), HTML: html.String()}
}
