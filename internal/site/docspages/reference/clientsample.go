package reference

import (
	"fmt"
	"slices"
	"strings"
)

// call is what a sample in Python or TypeScript asks a client of the API, and what it does with the answer.
type call struct {
	imports []string
	text    string // after the client is made
}

// widest is the length of a line of code at most, if it can be broken.
const widest = 100

// python returns a program that asks through the package for Python, by the method that it has for the operation, or
// else for the path.
func (o *Operation) python(base string) string {
	c := o.pythonCall()
	key := ""
	if o.Access == Key {
		c.imports = append(c.imports, "os")
		key = `, os.environ["CUOTA_KEY"]`
	}
	text := ""
	slices.Sort(c.imports)
	for _, module := range c.imports {
		text += "import " + module + "\n"
	}
	if text != "" {
		text += "\n"
	}
	return text + "import cuota\n\nclient = cuota.Client(" + inJSON(strings.TrimRight(base, "/"), "") + key + ")\n" + c.text
}

const (
	printsRows    = "for row in frame.to_pylist():\n    print(row)"
	printsPyJSON  = "print(json.dumps(answer, indent=2, ensure_ascii=False))"
	printsPage    = "console.log(JSON.stringify(answer, null, 2));"
	answersInJSON = "const answer = await client."
)

func (o *Operation) pythonCall() call {
	frame := func(method string) call { return call{text: "frame = client." + method + "\n" + printsRows} }
	reply := func(method string) call {
		return call{[]string{"json"}, "answer = client." + method + "\n" + printsPyJSON}
	}
	switch o.ID {
	case "get_key_info":
		return reply("key_info()")
	case "get_screener":
		return frame(o.keywords("screener"))
	case "get_series":
		return frame(o.keywords("series"))
	case "get_market_summary":
		return frame(o.keywords("market_summary"))
	case "get_market_summaries":
		return frame(o.keywords("market_summaries"))
	case "get_returns_by_day": // a frame has all rows
		return frame(o.keywords("returns", "limit"))
	case "get_days_of_series":
		return frame(o.keywords("days", "limit"))
	case "get_comparison":
		return frame("compare(" + spaced(o.listed("series")) + ")")
	case "compare_many":
		return frame(o.ofBody("compare", "series"))
	case "ask_screens":
		return call{text: "for frame in client.screens(" + inPython(o.member("screens"), "") + "):\n    " +
			strings.ReplaceAll(printsRows, "\n", "\n    ")}
	case "run_backtest":
		return call{[]string{"json"}, "result = client.backtest(" + inPython(o.Body.value, "") +
			")\nprint(json.dumps(result.reply, indent=2, ensure_ascii=False))"}
	case "get_bulk":
		return call{text: "for table in client.bulk().tables:\n    print(table.name, [file.name for file in table.files])"}
	case "get_bulk_file":
		return call{text: "files = {file.name: file for table in client.bulk().tables for file in table.files}\n" +
			"print(client.download(files[" + inJSON(o.given("file"), "") + `], "."))`}
	case "get_changes":
		return call{text: "changes = list(client.changes(" + inJSON(o.given("since"), "") +
			"))\nprint(len(changes), \"rows differ\")\nfor change in changes:\n    print(change.table, change.key, change.row)"}
	}
	if o.Method == "POST" {
		return reply("post(" + inJSON(o.Path, "") + ", " + inPython(o.Body.value, "") + ")")
	}
	return reply("get(" + joinedArguments(inJSON(o.Path, ""), o.dictionary()) + ")")
}

// typeScript returns a program that asks through the package for TypeScript.
func (o *Operation) typeScript(base string) string {
	c := o.typeScriptCall()
	text := "import { createClient } from \"cuota\";\n"
	for _, line := range c.imports {
		text = line + "\n" + text
	}
	return text + "\nconst client = createClient({ baseUrl: " + inJSON(strings.TrimRight(base, "/"), "") +
		", apiKey: process.env.CUOTA_KEY });\n" + c.text
}

func (o *Operation) typeScriptCall() call {
	reply := func(method string) call { return call{text: answersInJSON + method + ";\n" + printsPage} }
	object := o.members()
	switch o.ID {
	case "get_screener":
		return reply("screener(" + object + ").page()")
	case "get_series":
		return reply("series(" + object + ").page()")
	case "get_days_of_series":
		return reply("days(" + object + ").page()")
	case "get_batches":
		return reply("batches(" + object + ").page()")
	case "get_returns_by_day":
		return reply("returnsOfDay(" + joinedArguments(inJSON(o.given("date"), ""), o.members("date")) + ").page()")
	case "get_market_summary":
		return reply("marketSummary(" + object + ")")
	case "get_market_summaries":
		return reply("marketSummaries(" + object + ")")
	case "get_comparison":
		return reply("compare(" + spaced(o.listed("series")) + ")")
	case "compare_many":
		return reply("compare(" + joinedArguments(spaced(o.member("series")), o.restOfBody("series")) + ")")
	case "ask_screens":
		return reply("screens(" + inLines(o.member("screens")) + ")")
	case "run_backtest":
		return reply("backtest(" + inLines(o.Body.value) + ")")
	case "get_bulk":
		return reply("bulk()")
	case "get_bulk_file":
		return call{[]string{`import { writeFile } from "node:fs/promises";`},
			"const reply = await client.response(" + joinedArguments(inJSON(o.Path, ""), object) + ");\n" +
				"await writeFile(" + inJSON(o.given("file"), "") + ", Buffer.from(await reply.arrayBuffer()));"}
	case "get_changes":
		return call{text: "for await (const line of client.changes(" + inJSON(o.given("since"), "") +
			")) console.log(line);"}
	}
	if o.Method == "POST" {
		return reply("post(" + inJSON(o.Path, "") + ", " + inLines(o.Body.value) + ")")
	}
	return reply("get(" + joinedArguments(inJSON(o.Path, ""), object) + ")")
}

// given returns the value of a parameter in the example request.
func (o *Operation) given(name string) string {
	for _, p := range o.Parameters {
		if p.Name == name && len(p.Examples) > 0 {
			return p.Examples[0]
		}
	}
	return ""
}

// inLines writes a value of a document as TypeScript, with an element on each line.
func inLines(value any) string {
	var out strings.Builder
	writeLines(&out, value, "", func(one any) string { return inJSON(one, "") })
	return out.String()
}

// spaced writes a list of ids on one line.
func spaced(list any) string {
	return strings.ReplaceAll(inJSON(list, ""), `","`, `", "`)
}

// listed returns the parts of the value of a parameter that is a list.
func (o *Operation) listed(name string) any {
	var list []any
	for part := range strings.SplitSeq(o.given(name), ",") {
		list = append(list, part)
	}
	return list
}

// literals returns the parameters of the example request, without some, as text for each that form makes of its name
// and its value.
func (o *Operation) literals(form func(name, value string) string, without []string) (list []string) {
	for _, p := range o.Parameters {
		if len(p.Examples) == 0 || slices.Contains(without, p.Name) {
			continue
		}
		value := p.Examples[0]
		switch {
		case p.several:
			value = spaced(p.Examples)
		case p.quoted:
			value = inJSON(value, "")
		}
		list = append(list, form(p.Name, value))
	}
	return list
}

// dictionary returns the parameters of the example request as a dictionary of Python; "" if it has none.
func (o *Operation) dictionary() string {
	list := o.literals(func(name, value string) string { return inJSON(name, "") + ": " + value }, nil)
	return broken("{", list, "}", "    ", widest-len(`answer = client.get("", `+o.Path))
}

// members returns the parameters of the example request, without some, as an object of TypeScript; "" if it has none.
func (o *Operation) members(without ...string) string {
	list := o.literals(func(name, value string) string { return name + ": " + value }, without)
	return broken("{ ", list, " }", "  ", widest-len(`const answer = await client.get("", `+o.Path))
}

// broken puts a list on one line, or on several if that would be too wide; "" if it is empty.
func broken(begin string, list []string, end, indent string, room int) string {
	switch whole := begin + strings.Join(list, ", ") + end; {
	case len(list) == 0:
		return ""
	case len(whole) > room:
		return strings.TrimSpace(begin) + "\n" + indent + strings.Join(list, ",\n"+indent) + ",\n" + strings.TrimSpace(end)
	default:
		return whole
	}
}

// keywords returns a call of a method in Python with the parameters of the example request, without some.
func (o *Operation) keywords(method string, without ...string) string {
	list := o.literals(func(name, value string) string { return name + "=" + value }, without)
	if len(list) == 0 {
		return method + "()"
	}
	return broken(method+"(", list, ")", "    ", widest)
}

// member returns a member of the body of the example request.
func (o *Operation) member(name string) any {
	body, _ := o.Body.value.(*object)
	return body.value(name)
}

// ofBody returns a call of a method in Python with one member of the body first, and the others by their names. A text
// of fields is a list there.
func (o *Operation) ofBody(method, first string) string {
	text := method + "(" + spaced(o.member(first))
	body, _ := o.Body.value.(*object)
	for _, name := range body.members() {
		value := body.value(name)
		if listed, is := value.(string); is && name == "fields" {
			var list []any
			for part := range strings.SplitSeq(listed, ",") {
				list = append(list, part)
			}
			value = list
		}
		if name != first {
			text += fmt.Sprintf(", %s=%s", name, inPython(value, ""))
		}
	}
	return text + ")"
}

// restOfBody returns the other members of the body as an object in TypeScript; "" if there are none.
func (o *Operation) restOfBody(without string) string {
	body, _ := o.Body.value.(*object)
	var list []string
	for _, name := range body.members() {
		if name != without {
			list = append(list, name+": "+inJSON(body.value(name), ""))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "{ " + strings.Join(list, ", ") + " }"
}

// joinedArguments returns one or two arguments; the second may be "".
func joinedArguments(first, second string) string {
	if second == "" {
		return first
	}
	return first + ", " + second
}
