import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Properties;

/** What a program does over JDBC, a line for each result. */
public final class Jdbc {
    public static void main(String[] arguments) throws Exception {
        Properties properties = new Properties();
        properties.setProperty("compress", arguments[1]);
        properties.setProperty("decompress", arguments[1]);
        try (Connection connection = DriverManager.getConnection(arguments[0], properties)) {
            tables(connection);
            prepared(connection);
            metadata(connection);
            streamed(connection);
            failing(connection);
        }
    }

    private static void tables(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE t (a UInt64, s Nullable(String), d Date, t DateTime64(3, 'UTC'),"
                + " l Array(UInt32), p Decimal(10, 2)) ENGINE = MergeTree ORDER BY a");
            statement.executeUpdate("INSERT INTO t VALUES (1, 'one', '2024-02-29', '2024-01-02 03:04:05.678', [1, 2], 1.25)");
        }
    }

    private static void prepared(Connection connection) throws SQLException {
        String insert = "INSERT INTO t (a, s, d, t, l, p) VALUES (?, ?, ?, ?, ?, ?)";
        try (PreparedStatement statement = connection.prepareStatement(insert)) {
            for (int i = 2; i <= 4; i++) {
                statement.setLong(1, i);
                statement.setString(2, i == 3 ? null : "it's " + i);
                statement.setObject(3, LocalDate.of(2020, 1, i));
                statement.setObject(4, LocalDateTime.of(2020, 1, i, 0, 0));
                statement.setArray(5, connection.createArrayOf("UInt32", new Object[] {i}));
                statement.setBigDecimal(6, new java.math.BigDecimal("-0.50"));
                statement.addBatch();
            }
            System.out.println("batch " + statement.executeBatch().length);
        }
        try (PreparedStatement statement = connection.prepareStatement("SELECT * FROM t WHERE a >= ? AND s != ? ORDER BY a")) {
            statement.setInt(1, 1);
            statement.setString(2, "no\\'ne");
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    System.out.println(rows.getLong("a") + " " + rows.getString("s") + " " + rows.getObject("d", LocalDate.class)
                        + " " + rows.getTimestamp("t").toInstant().getNano() + " " + rows.getArray("l").getArray().getClass().isArray()
                        + " " + rows.getBigDecimal("p"));
                }
            }
        }
    }

    private static void metadata(Connection connection) throws SQLException {
        DatabaseMetaData metadata = connection.getMetaData();
        System.out.println("product " + metadata.getDatabaseProductName());
        try (ResultSet tables = metadata.getTables(null, connection.getSchema(), "%", null)) {
            while (tables.next()) {
                System.out.println("table " + tables.getString("TABLE_NAME"));
            }
        }
        try (ResultSet columns = metadata.getColumns(null, connection.getSchema(), "t", "%")) {
            while (columns.next()) {
                System.out.println("column " + columns.getString("COLUMN_NAME") + " " + columns.getString("TYPE_NAME"));
            }
        }
    }

    private static void streamed(Connection connection) throws SQLException {
        long sum = 0;
        try (Statement statement = connection.createStatement();
             ResultSet rows = statement.executeQuery("SELECT number, toString(number) FROM numbers(300000)")) {
            while (rows.next()) {
                sum += rows.getLong(1);
            }
        }
        System.out.println("sum " + sum);
    }

    private static void failing(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeQuery("SELECT nope FROM t");
        } catch (SQLException failed) {
            System.out.println("error " + failed.getErrorCode() + " " + failed.getMessage().contains("nope"));
        }
    }
}
