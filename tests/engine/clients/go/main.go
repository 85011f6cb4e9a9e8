// What Grafana's data source does with clickhouse-go over HTTP, a line for each result.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/ext"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	methods := map[string]clickhouse.CompressionMethod{
		"none": clickhouse.CompressionNone, "lz4": clickhouse.CompressionLZ4, "zstd": clickhouse.CompressionZSTD,
		"gzip": clickhouse.CompressionGZIP, "br": clickhouse.CompressionBrotli,
	}
	connection, err := clickhouse.Open(&clickhouse.Options{
		Protocol:    clickhouse.HTTP,
		Addr:        []string{os.Args[1]},
		Auth:        clickhouse.Auth{Database: os.Args[2]},
		Compression: &clickhouse.Compression{Method: methods[os.Args[3]], Level: 3},
		Settings:    clickhouse.Settings{"max_execution_time": 60},
	})
	must(err)
	ctx := context.Background()
	must(connection.Ping(ctx))
	version, err := connection.ServerVersion()
	must(err)
	fmt.Println("health", version.Timezone)
	must(connection.Exec(ctx, "CREATE TABLE IF NOT EXISTS t (at DateTime, v Float64, s LowCardinality(String), n Nullable(UInt8)) ENGINE = MergeTree ORDER BY at"))
	batch, err := connection.PrepareBatch(ctx, "INSERT INTO t")
	must(err)
	for i := 0; i < 100; i++ {
		must(batch.Append(time.Unix(int64(1700000000+60*i), 0), float64(i), fmt.Sprint("s", i%2), nil))
	}
	must(batch.Send())
	list(ctx, connection)
	series(ctx, connection)
	external(ctx, connection)
	var count uint64
	rows, err := connection.Query(ctx, "SELECT number, toString(number) FROM numbers(200000)")
	must(err)
	for rows.Next() {
		var n uint64
		var s string
		must(rows.Scan(&n, &s))
		count++
	}
	must(rows.Err())
	fmt.Println("streamed", count)
	_, err = connection.Query(ctx, "SELECT nope FROM t")
	var failed *clickhouse.Exception
	fmt.Println("error", errors.As(err, &failed) && failed.Code == 47)
}

func list(ctx context.Context, connection driver.Conn) {
	rows, err := connection.Query(ctx, "SELECT name FROM system.tables WHERE database = {db:String} ORDER BY name", clickhouse.Named("db", os.Args[2]))
	must(err)
	for rows.Next() {
		var name string
		must(rows.Scan(&name))
		fmt.Println("table", name)
	}
	columns, err := connection.Query(ctx, "SELECT name, type FROM system.columns WHERE database = ? AND table = ?", os.Args[2], "t")
	must(err)
	for columns.Next() {
		var name, kind string
		must(columns.Scan(&name, &kind))
		fmt.Println("column", name, kind)
	}
}

func series(ctx context.Context, connection driver.Conn) {
	rows, err := connection.Query(ctx, `SELECT toStartOfInterval(at, INTERVAL 3600 second) AS time, s, avg(v) AS value FROM t
		WHERE at >= toDateTime(1700000000) AND at <= toDateTime(1700006000) GROUP BY time, s ORDER BY time, s LIMIT 3`)
	must(err)
	for _, column := range rows.ColumnTypes() {
		fmt.Println("type", column.Name(), column.DatabaseTypeName())
	}
	for rows.Next() {
		var at time.Time
		var s string
		var v float64
		must(rows.Scan(&at, &s, &v))
		fmt.Println("point", at.Unix(), s, v)
	}
}

func external(ctx context.Context, connection driver.Conn) {
	table, err := ext.NewTable("given", ext.Column("s", "String"))
	must(err)
	must(table.Append("s1"))
	var count uint64
	must(connection.QueryRow(clickhouse.Context(ctx, clickhouse.WithExternalTable(table)), "SELECT count() FROM t WHERE s IN (SELECT s FROM given)").Scan(&count))
	fmt.Println("external", count)
}
