package parse

import (
	"testing"

	"github.com/shopspring/decimal"
)

func TestUnknownValuesOfAColumnAreListedUpToABound(t *testing.T) {
	var u unknownValues
	for line := range uint32(1000) {
		u.add("A", decimal.New(int64(line), 0).String(), line+2)
	}
	u.add("B", "x", 2000)
	u.add("A", "3", 2001)
	list := u.list()
	others := list[maxUnknownValues]
	if len(list) != maxUnknownValues+2 || !others.Others || others.Rows != 990 || others.FirstLine != 12 ||
		list[3].Rows != 2 || list[len(list)-1].Column != "B" {
		t.Errorf("%+v", list)
	}
}
