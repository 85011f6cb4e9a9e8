// What a program does with @clickhouse/client, a line for each result.
import { createRequire } from "node:module";
import { Readable } from "node:stream";

const { createClient } = createRequire(process.argv[4] + "/")("@clickhouse/client");
const client = createClient({
  url: process.argv[2],
  database: process.argv[3],
  compression: { request: true, response: true },
});
const rows = async (query, parameters = {}) =>
  (await client.query({ query, query_params: parameters, format: "JSONEachRow" })).json();

console.log("ping", (await client.ping()).success);
await client.command({ query: "CREATE TABLE t (a UInt64, s String, l Array(UInt8)) ENGINE = MergeTree ORDER BY a" });
const inserted = await client.insert({
  table: "t",
  values: [{ a: 1, s: "it's", l: [1, 2] }, { a: 2, s: "é", l: [] }],
  format: "JSONEachRow",
});
console.log("inserted", inserted.query_id.length);
await client.insert({ table: "t", values: Readable.from(["3,three,[3]\n", "4,four,[]\n"], { objectMode: false }), format: "CSV" });
console.log(JSON.stringify(await rows("SELECT * FROM t ORDER BY a")));
const given = { x: 41, s: "a'b\\c", l: [1, 2], d: new Date(Date.UTC(2020, 0, 2)) };
console.log(JSON.stringify(await rows("SELECT {x:UInt32} + 1 AS x, {s:String} AS s, {l:Array(UInt8)} AS l, {d:DateTime} AS d", given)));
const found = await client.query({ query: "SELECT number FROM numbers(200000)", format: "JSONCompactEachRow" });
let count = 0;
for await (const part of found.stream()) count += part.length;
console.log("streamed", count);
const parquet = await client.exec({ query: "SELECT 1 AS x FORMAT Parquet" });
const chunks = [];
for await (const chunk of parquet.stream) chunks.push(chunk);
console.log("parquet", Buffer.concat(chunks).subarray(0, 4).toString());
try {
  await rows("SELECT nope FROM t");
} catch (failed) {
  console.log("error", failed.code, failed.type);
}
const plain = createClient({ url: process.argv[2], database: process.argv[3] });
try {
  const late = await plain.query({ query: "SELECT throwIf(number = 3000000) FROM numbers(4000000)", format: "JSONEachRow" });
  for await (const part of late.stream()) count += part.length;
  console.log("no error");
} catch (failed) {
  console.log("late error", failed.code);
}
const session = createClient({ url: process.argv[2], database: process.argv[3], session_id: "node" });
await session.command({ query: "CREATE TEMPORARY TABLE own (x UInt8)" });
await session.command({ query: "SET session_timezone = 'Asia/Tokyo'" });
console.log(JSON.stringify(await (await session.query({ query: "SELECT toDateTime(0) AS t, (SELECT count() FROM own) AS n", format: "JSONEachRow" })).json()));
await session.close();
await plain.close();
await client.close();
