package firststart

import (
	"context"
	"fmt"
	"io"
	"os"

	"cuota/cmd/cuota/datadir"
	"cuota/cmd/cuota/output"
	"cuota/internal/account"
	"cuota/internal/durable"
	"cuota/sql"
)

// demoOwner is the owner of the key that the first start prints.
const demoOwner = "demo@localhost.invalid"

// Greet prints the addresses, that of the pages first. On the first start it also prints a key and three commands
// to paste. What is not printed on a terminal may be kept in a log, so the key is then written to a
// file that only its owner may read.
func Greet(ctx context.Context, out io.Writer, dir *datadir.Directory, at datadir.Addresses, area, admin string,
	accounts *account.Store, first *Market) error {
	base := "http://" + at.HTTP
	store := fmt.Sprintf("http://%s and clickhouse://%s   (database %s, read only)", at.ClickHouse, at.Native,
		sql.PeoplesDatabase(datadir.Database))
	if at.Native == "" {
		store = "the server that CUOTA_CLICKHOUSE names"
	}
	measured := "not served"
	if admin != "" {
		measured = "http://" + admin + "/metrics"
	}
	fmt.Fprintf(out, "\ncuota is up. Ctrl-C stops it.\n\n  Pages       %s\n"+
		"  API         %s   (document: %s/openapi.json)\n  accounts    %s\n  ClickHouse  %s\n"+
		"  Kafka       %s   (for commands, with the password in running.json)\n  metrics     %s\n"+
		"  data        %s\n\n",
		base, base, base, area, store, at.Kafka, measured, dir.Path)
	if first == nil {
		fmt.Fprintf(out, "Create another API key:  cuota key create --data %s --email you@example.org\n\n", dir.Path)
		return nil
	}
	if first.name == demoName {
		fmt.Fprintf(out, "%s\n\n", fewDays)
	}
	key, _, err := accounts.CreateKey(ctx, demoOwner, account.Institutional)
	if err != nil {
		return fmt.Errorf("create the demo key: %w", err)
	}
	if file, is := out.(*os.File); is && output.OnTerminal(file) {
		fmt.Fprintf(out, "Your API key, which can't be shown again:  %s\n\nTry:\n", key)
	} else {
		if err := durable.Replace(dir.FirstKey(), []byte(key+"\n"), 0o600); err != nil {
			return fmt.Errorf("write the demo key: %w", err)
		}
		fmt.Fprintf(out, "Your API key, which can't be shown again, is in the file %s\n\nTry:\n", dir.FirstKey())
		key = "$(cat '" + dir.FirstKey() + "')"
	}
	fmt.Fprintf(out, "  curl -H \"X-Api-Key: %s\" "+
		"'%s/api/screener?category=balanced&currency=PESOS&sort=1y&order=desc&limit=3'\n", key, base)
	if first.series != "" {
		fmt.Fprintf(out, "  curl -H \"X-Api-Key: %s\" '%s/api/real_assets/%s/returns?as_of_date=2024-02-29'\n", key,
			base, first.series)
	}
	if at.ClickHouse == "" {
		return nil
	}
	fmt.Fprintf(out, "  curl 'http://%s/?query=SELECT+category,count(),avg(tac)+FROM+screener+GROUP+BY+category+FORMAT+PrettyCompact'\n\n", at.ClickHouse)
	return nil
}
