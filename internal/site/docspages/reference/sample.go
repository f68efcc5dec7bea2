package reference

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// Sample is a program that makes the example request of an operation and prints the answer. Python and TypeScript ask
// through the clients of the API. Operations of the account, which the clients do not have, need nothing but what comes
// with the language. The key is in the environment variable CUOTA_KEY; of operations of the account, the session is in
// CUOTA_SESSION.
type Sample struct {
	Language string // bash, python, typescript or javascript
	Title    string
	Text     string
}

// The languages of samples.
const (
	Bash       = "bash"
	Python     = "python"
	TypeScript = "typescript"
	JavaScript = "javascript"
)

// forBrowsers are operations that a browser opens at the end of a link or of a redirection, so
// that no program calls them.
var forBrowsers = []string{"finish_google_sign_in", "confirm_one_click_unsubscribe"}

// Samples returns the samples of an operation for the service at an address. There are none if
// only browsers call it.
func (o *Operation) Samples(base string) []Sample {
	if slices.Contains(forBrowsers, o.ID) {
		return nil
	}
	s := o.sampled(base)
	curl := Sample{Bash, "curl", s.curl()}
	if o.ThroughClients() {
		return []Sample{curl, {Python, "Python", o.python(base)}, {TypeScript, "TypeScript", o.typeScript(base)}}
	}
	return []Sample{curl, {Python, "Python", s.python()}, {JavaScript, "JavaScript", s.javaScript()}}
}

// ThroughClients reports whether the clients of the API ask the operation. Those of the account are for web pages.
func (o *Operation) ThroughClients() bool { return o.Tag != "Account" }

// CurlWith returns the curl command for other values of the parameters.
func (o *Operation) CurlWith(base string, given url.Values) string {
	s := o.sampled(base)
	s.address = strings.TrimRight(base, "/") + o.TargetWith(given)
	return s.curl()
}

// sampled is the example request, and what becomes of its answer.
type sampled struct {
	method, address string
	headers         []sampledHeader
	body            any // nil if there is none
	answer          form
}

// sampledHeader is a header whose value is a text, with the value of an environment variable at
// its end.
type sampledHeader struct{ name, text, variable string }

// form is what a body is.
type form int

const (
	isJSON  form = iota
	isLines      // of JSON
	isFile
	isEmpty
)

// sessionCookie is the name of the cookie over https.
const sessionCookie = "__Host-cuota-session"

func (o *Operation) sampled(base string) sampled {
	base = strings.TrimRight(base, "/")
	s := sampled{method: o.Method, address: base + o.Target()}
	switch o.Access {
	case Key:
		s.headers = append(s.headers, sampledHeader{name: "X-Api-Key", variable: "CUOTA_KEY"})
	case Session:
		s.headers = append(s.headers, sampledHeader{"Cookie", sessionCookie + "=", "CUOTA_SESSION"})
	}
	if o.Tag == "Account" && o.Method != "GET" {
		s.headers = append(s.headers, sampledHeader{name: "Origin", text: base})
	}
	if o.Body != nil {
		s.body = o.Body.value
		s.headers = append(s.headers, sampledHeader{name: "Content-Type", text: "application/json"})
	}
	switch answer := o.Answers[0]; {
	case len(answer.Types) == 0:
		s.answer = isEmpty
	case answer.Types[0] == "application/json":
	case len(answer.Tables) > 0:
		s.answer = isLines
	default:
		s.answer = isFile
	}
	return s
}

// fileName is the name under which a file is saved.
func (s sampled) fileName() string { return s.address[strings.LastIndex(s.address, "/")+1:] }

func (s sampled) curl() string {
	parts := []string{"curl --silent --show-error --fail-with-body"}
	if s.method != "GET" && (s.method != "POST" || s.body == nil) {
		parts[0] += " --request " + s.method
	}
	for _, h := range s.headers {
		text := quotedForShell(h.name + ": " + h.text)
		if h.variable != "" {
			text = `"` + h.name + ": " + h.text + "$" + h.variable + `"`
		}
		parts = append(parts, "--header "+text)
	}
	if s.body != nil {
		parts = append(parts, "--data "+quotedForShell(inJSON(s.body, "")))
	}
	switch s.answer {
	case isFile:
		parts = append(parts, "--output "+quotedForShell(s.fileName()))
	case isEmpty:
		parts = append(parts, `--write-out '%{http_code}\n'`)
	}
	return strings.Join(append(parts, quotedForShell(s.address)), " \\\n  ")
}

func quotedForShell(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

func (s sampled) python() string {
	var b strings.Builder
	modules := map[string]bool{}
	var headers []string
	for _, h := range s.headers {
		value := inJSON(h.text, "")
		if h.variable != "" {
			modules["os"] = true
			value = fmt.Sprintf(`os.environ["%s"]`, h.variable)
			if h.text != "" {
				value = inJSON(h.text, "") + " + " + value
			}
		}
		headers = append(headers, fmt.Sprintf("        %s: %s,\n", inJSON(h.name, ""), value))
	}
	if s.body != nil || s.answer == isJSON || s.answer == isLines {
		modules["json"] = true
	}
	for _, module := range slices.Sorted(maps.Keys(modules)) {
		fmt.Fprintf(&b, "import %s\n", module)
	}
	if s.answer == isFile {
		b.WriteString("import shutil\n")
	}
	b.WriteString("from urllib.request import Request, urlopen\n\nrequest = Request(\n    " + inJSON(s.address, "") +
		",\n")
	if s.method != "GET" {
		fmt.Fprintf(&b, "    method=%q,\n", s.method)
	}
	if len(headers) > 0 {
		b.WriteString("    headers={\n" + strings.Join(headers, "") + "    },\n")
	}
	if s.body != nil {
		b.WriteString("    data=json.dumps(" + inPython(s.body, "    ") + ").encode(),\n")
	}
	b.WriteString(")\nwith urlopen(request) as reply:\n")
	switch s.answer {
	case isJSON:
		b.WriteString("    answer = json.load(reply)\nprint(json.dumps(answer, indent=2, ensure_ascii=False))\n")
	case isLines:
		b.WriteString("    for line in reply:\n        print(json.loads(line))\n")
	case isFile:
		fmt.Fprintf(&b, "    with open(%s, \"wb\") as file:\n        shutil.copyfileobj(reply, file)\n",
			inJSON(s.fileName(), ""))
	case isEmpty:
		b.WriteString("    print(reply.status)\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

func (s sampled) javaScript() string {
	var b strings.Builder
	if s.answer == isFile {
		b.WriteString("import { writeFile } from \"node:fs/promises\";\n\n")
	}
	var options []string
	if s.method != "GET" {
		options = append(options, fmt.Sprintf("  method: %q,\n", s.method))
	}
	var headers []string
	for _, h := range s.headers {
		value := inJSON(h.text, "")
		if h.variable != "" {
			value = "process.env." + h.variable
			if h.text != "" {
				value = inJSON(h.text, "") + " + " + value
			}
		}
		headers = append(headers, fmt.Sprintf("    %s: %s,\n", inJSON(h.name, ""), value))
	}
	if len(headers) > 0 {
		options = append(options, "  headers: {\n"+strings.Join(headers, "")+"  },\n")
	}
	if s.body != nil {
		options = append(options, "  body: JSON.stringify("+inJSON(s.body, "  ")+"),\n")
	}
	b.WriteString("const reply = await fetch(" + inJSON(s.address, ""))
	if len(options) > 0 {
		b.WriteString(", {\n" + strings.Join(options, "") + "}")
	}
	b.WriteString(");\nif (!reply.ok) throw new Error(`${reply.status}: ${await reply.text()}`);\n")
	switch s.answer {
	case isJSON:
		b.WriteString("console.log(JSON.stringify(await reply.json(), null, 2));")
	case isLines:
		b.WriteString("for (const line of (await reply.text()).trim().split(\"\\n\")) {\n  " +
			"console.log(JSON.parse(line));\n}")
	case isFile:
		fmt.Fprintf(&b, "await writeFile(%s, Buffer.from(await reply.arrayBuffer()));", inJSON(s.fileName(), ""))
	case isEmpty:
		b.WriteString("console.log(reply.status);")
	}
	return b.String()
}

// inJSON writes a value of a document. With an indentation it takes several lines, of which the
// first begins where the caller stands.
func inJSON(value any, indent string) string {
	text, err := json.Marshal(plain(value))
	if err != nil {
		panic(err) // it was read from JSON
	}
	if indent != "" {
		var out strings.Builder
		writeLines(&out, value, indent, func(one any) string { return inJSON(one, "") })
		return out.String()
	}
	return unescapeHTML.Replace(string(text))
}

// unescapeHTML undoes the escapes that json.Marshal writes for pages. Templates escape by
// themselves.
var unescapeHTML = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

// inPython writes a value of a document as Python does.
func inPython(value any, indent string) string {
	var out strings.Builder
	writeLines(&out, value, indent, func(one any) string {
		switch one {
		case true:
			return "True"
		case false:
			return "False"
		case nil:
			return "None"
		}
		return inJSON(one, "")
	})
	return out.String()
}

// writeLines writes objects and lists with an element on each line, and everything else by
// scalar. Their commas at the end are valid in Python and in JavaScript.
func writeLines(out *strings.Builder, value any, indent string, scalar func(any) string) {
	switch value := value.(type) {
	case *object:
		out.WriteString("{\n")
		for _, name := range value.names {
			out.WriteString(indent + "    " + scalar(name) + ": ")
			writeLines(out, value.values[name], indent+"    ", scalar)
			out.WriteString(",\n")
		}
		out.WriteString(indent + "}")
	case []any:
		out.WriteString("[\n")
		for _, one := range value {
			out.WriteString(indent + "    ")
			writeLines(out, one, indent+"    ", scalar)
			out.WriteString(",\n")
		}
		out.WriteString(indent + "]")
	default:
		out.WriteString(scalar(value))
	}
}
