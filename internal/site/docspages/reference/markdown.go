package reference

import (
	"fmt"
	"strings"

	"cuota/internal/site/locale"
)

// Markdown returns the page of an operation for programs that read text. Its headings are in English,
// so the operation must be of the English reference.
func (o *Operation) Markdown(base string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n`%s %s`\n\n%s\n\n%s\n", o.Summary, o.Method, o.Path, o.Description, accessWords[o.Access])
	if len(o.Parameters) > 0 {
		b.WriteString("\n## Parameters\n\n| name | in | type | limits | meaning |\n|---|---|---|---|---|\n")
		for _, p := range o.Parameters {
			limits := p.Limits
			if p.Required {
				limits = joined("required", limits)
			}
			if p.Default != "" {
				limits = joined(limits, "default "+p.Default)
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", code(p.Name), p.In, inCell(p.Type), inCell(limits),
				inCell(p.Description))
		}
	}
	if o.Body != nil {
		b.WriteString("\n## Body\n\n")
		writeFields(&b, o.Body.Fields)
	}
	for i, s := range o.Samples(base) {
		if i == 0 {
			b.WriteString("\n## Example\n")
			if o.ThroughClients() {
				fmt.Fprintf(&b, "\nPython and TypeScript use the clients of the API: %s/docs/guias/clientes.md?lang=en\n", base)
			}
		}
		fmt.Fprintf(&b, "\n```%s\n%s\n```\n", s.Language, s.Text)
	}
	if o.Example != nil {
		fmt.Fprintf(&b, "\nAnswer to `%s`.", o.Example.Request)
		if o.Example.Note != "" {
			b.WriteString(" " + o.Example.Note)
		}
		fmt.Fprintf(&b, "\n\n```json\n%s\n```\n", o.Example.Answer)
	}
	for _, a := range o.Answers {
		fmt.Fprintf(&b, "\n## Answer %s\n\n%s\n", a.Status, a.Description)
		if len(a.Types) > 0 {
			fmt.Fprintf(&b, "\nMedia types: %s.\n", strings.Join(a.Types, ", "))
		}
		for _, table := range a.Tables {
			if table.Name != "" {
				fmt.Fprintf(&b, "\n### %s\n", table.Name)
			}
			b.WriteString("\n")
			writeFields(&b, table.Fields)
		}
		if a.Table != "" {
			fmt.Fprintf(&b, "\nIn other formats than JSON: %s\n", a.Table)
		}
	}
	b.WriteString("\n## Errors\n\n| status | meaning and code |\n|---|---|\n")
	for _, f := range o.Failures {
		fmt.Fprintf(&b, "| %s | %s |\n", f.Status, inCell(f.Description))
	}
	return []byte(b.String())
}

var accessWords = map[Access]string{
	Open:    "No key is needed.",
	Key:     "Needs an API key in the header `X-Api-Key`.",
	Session: "Needs the cookie of somebody who is signed in.",
}

func writeFields(b *strings.Builder, fields []Field) {
	b.WriteString("| field | type | limits | meaning and unit |\n|---|---|---|---|\n")
	for _, f := range fields {
		limits := f.Limits
		if !f.Required {
			limits = joined("may be absent", limits)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", code(f.Path), inCell(f.Type), inCell(limits), inCell(f.Description))
	}
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

func code(text string) string { return "`" + inCell(text) + "`" }

// inCell makes a text fit for a cell of a table.
func inCell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text)
}

// Index returns the list of all pages for programs that read text (llms.txt), in English: the
// reference must be the English one. pages is where the pages begin.
func (r *Reference) Index(base, pages string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n> %s\n\n%s\n", r.Title, r.Summary, r.Description)
	fmt.Fprintf(&b, "\nThe address of the service is %s. The whole reference for programs: "+
		"[openapi.json](%s/openapi.json).\n", base, base)
	b.WriteString("\n## Guides\n\n")
	for _, g := range Guides(locale.English, base) {
		fmt.Fprintf(&b, "- [%s](%s%s/guias/%s.md?lang=en): %s\n", g.Title, base, pages, g.Name, g.Summary)
	}
	for _, group := range r.Groups {
		fmt.Fprintf(&b, "\n## %s\n\n", group.Name)
		for _, o := range group.Operations {
			fmt.Fprintf(&b, "- [%s %s](%s%s/%s.md): %s\n", o.Method, o.Path, base, pages, o.ID, o.Summary)
		}
	}
	return []byte(b.String())
}
