package sql_test

import (
	"regexp"
	"strings"
	"testing"

	"cuota/sql"
)

func TestEveryDatabaseHasADatabaseForPeopleOfItsOwn(t *testing.T) {
	for database, want := range map[string]string{"cuota": "funds", "market": "funds_market", "funds": "funds_funds"} {
		if got := sql.PeoplesDatabase(database); got != want {
			t.Errorf("the database for people of %s is %s, want %s", database, got, want)
		}
	}
}

// People have no rights on the internal database, so a view of theirs must not depend on the
// rights or the database of who reads it.
func TestViewsForPeopleReadWithTheRightsOfTheProjector(t *testing.T) {
	ours := map[string]bool{}
	for _, view := range sql.Views() {
		ours[view.Name] = true
	}
	called := regexp.MustCompile(`(?:FROM|JOIN) (\w+)`)
	views, err := sql.PeoplesViews("funds_market")
	if err != nil {
		t.Fatal(err)
	}
	for _, view := range views {
		head, selected, _ := strings.Cut(view.Text, "\nSQL SECURITY DEFINER AS\n")
		if !strings.Contains(head, "\nCREATE OR REPLACE VIEW `funds_market`."+view.Name+"\n(") {
			t.Errorf("%s is not made in the database for people: %s", view.Name, head)
		}
		if strings.Contains(selected, "{batch:") || strings.Contains(selected, "currentDatabase") ||
			strings.Contains(selected, "batch = 7") {
			t.Errorf("%s depends on a batch or on the database of the reader", view.Name)
		}
		for _, found := range called.FindAllStringSubmatch(selected, -1) {
			if ours[found[1]] {
				t.Errorf("%s reads %s, of which the text is not in place", view.Name, found[1])
			}
		}
	}
	if len(views) < 30 {
		t.Errorf("only %d views", len(views))
	}
}
