package sampletest

import (
	"strings"
	"testing"
)

// Each sample has its own environment and output, and the one after a failure still runs.
func TestEachProgramIsRunAndAFailureIsSeen(t *testing.T) {
	for name, programs := range map[string][]Program{
		"bash": {{Text: "echo one $WHO", Env: map[string]string{"WHO": "a"}}, {Text: "false | cat\necho no"},
			{Text: "echo three $WHO", Env: map[string]string{"WHO": "c"}}},
		"python": {{Text: "import os\nprint('one', os.environ['WHO'])", Env: map[string]string{"WHO": "a"}},
			{Text: "raise ValueError('no')"}, {Text: "import os\nprint('three', os.environ['WHO'])",
				Env: map[string]string{"WHO": "c"}}},
		"javascript": {{Text: "console.log('one', process.env.WHO)", Env: map[string]string{"WHO": "a"}},
			{Text: "throw new Error('no')"}, {Text: "console.log('three', process.env.WHO)",
				Env: map[string]string{"WHO": "c"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := Run(t, name, programs)
			if strings.TrimSpace(got[0].Output) != "one a" || got[0].Error != "" || got[1].Error == "" ||
				strings.Contains(got[1].Output, "no") ||
				strings.TrimSpace(got[2].Output) != "three c" || got[2].Error != "" {
				t.Errorf("%+v", got)
			}
		})
	}
}
