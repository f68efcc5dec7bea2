import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads through the HTTP door with the defaults of the JDBC driver, but for the port. Prints for each
 * way of signing in the number of quotes, the user, and the code with which an insert is refused.
 */
public class Client {
    static String address;

    public static void main(String[] arguments) throws Exception {
        address = arguments[0];
        show("no user", "", properties());
        show("an empty user", "", properties("user", "", "password", ""));
        show("user default without a password", "", properties("user", "default"));
        show("user default with an empty password", "", properties("user", "default", "password", ""));
        show("the text null as the password", "", properties("password", "null"));
        show("user people", "/funds", properties("user", "people"));
        show("compressed", "/funds", properties("compress", "true", "decompress", "true"));
        // Limits that people set for themselves.
        show("limits", "/funds", properties("clickhouse_setting_max_result_rows", "100000",
                "clickhouse_setting_max_execution_time", "5", "clickhouse_setting_max_threads", "1",
                "clickhouse_setting_max_memory_usage", "100000000"));
    }

    static Properties properties(String... pairs) {
        Properties properties = new Properties();
        for (int i = 0; i < pairs.length; i += 2) {
            properties.setProperty(pairs[i], pairs[i + 1]);
        }
        return properties;
    }

    static void show(String name, String database, Properties properties) throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:clickhouse://" + address + database, properties)) {
            want("isValid", true, connection.isValid(5));
            describe(connection);
            bound(connection);
            limited(connection);
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT count(), currentUser() FROM quote")) {
                row.next();
                System.out.println("JDBC, " + name + ": " + row.getLong(1) + " " + row.getString(2) + " " + refusal(connection));
            }
        }
    }

    /** What a tool that browses a database asks for. */
    static void describe(Connection connection) throws SQLException {
        Set<String> tables = new TreeSet<>();
        try (ResultSet found = connection.getMetaData().getTables(null, "funds", "%", null)) {
            while (found.next()) {
                tables.add(found.getString("TABLE_NAME") + " " + found.getString("TABLE_TYPE"));
            }
        }
        want("getTables", "[quote VIEW]", tables.toString());
        StringBuilder columns = new StringBuilder();
        try (ResultSet found = connection.getMetaData().getColumns(null, "funds", "quote", "%")) {
            while (found.next()) {
                columns.append(found.getString("COLUMN_NAME")).append(" ").append(found.getString("TYPE_NAME")).append(" ")
                        .append(found.getString("REMARKS")).append("; ");
            }
        }
        want("getColumns", "day Date a day; value Float64 a value; ", columns.toString());
        Set<String> schemas = new TreeSet<>();
        try (ResultSet found = connection.getMetaData().getSchemas()) {
            while (found.next()) {
                schemas.add(found.getString("TABLE_SCHEM"));
            }
        }
        want("getSchemas", true, schemas.contains("funds") && !schemas.contains("cuota"));
        var about = connection.getMetaData();
        for (ResultSet found : new ResultSet[] {
                about.getCatalogs(), about.getTableTypes(), about.getTypeInfo(), about.getPrimaryKeys(null, "funds", "quote"),
                about.getIndexInfo(null, "funds", "quote", false, true), about.getImportedKeys(null, "funds", "quote"),
                about.getProcedures(null, "funds", "%"), about.getFunctions(null, null, "%") }) {
            found.next();
            found.close();
        }
    }

    static void bound(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement("SELECT sum(value) FROM quote WHERE day < ? AND value >= ? AND 'it''s' = ?")) {
            statement.setDate(1, Date.valueOf(LocalDate.of(2025, 1, 11)));
            statement.setDouble(2, 1);
            statement.setString(3, "it's");
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                want("a prepared statement", 45.0, row.getDouble(1));
            }
        }
    }

    static void limited(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setMaxRows(10);
            statement.setQueryTimeout(5);
            int rows = 0;
            try (ResultSet found = statement.executeQuery("SELECT day FROM quote ORDER BY day")) {
                while (found.next()) {
                    rows++;
                }
            }
            want("setMaxRows", 10, rows);
            statement.setMaxRows(0); // no limit
            statement.setQueryTimeout(0);
            statement.execute("SELECT day FROM quote");
        }
    }

    static String refusal(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO quote SELECT today(), 1");
            return "none";
        } catch (SQLException refused) {
            Matcher code = Pattern.compile("[Cc]ode: (\\d+)").matcher(String.valueOf(refused.getMessage()));
            return code.find() ? code.group(1) : refused.getErrorCode() + " " + refused.getMessage();
        }
    }

    static void want(String what, Object want, Object got) {
        if (!want.equals(got)) {
            throw new AssertionError(what + ": " + got + ", want " + want);
        }
    }
}
