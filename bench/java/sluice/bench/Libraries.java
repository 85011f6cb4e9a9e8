package sluice.bench;

import java.io.DataInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import sluice.decode.Decoder;
import sluice.encode.Encoder;
import sluice.flink.FlinkCsvDecoder;
import sluice.flink.FlinkCsvEncoder;
import sluice.flink.FlinkDecoder;
import sluice.flink.FlinkEncoder;
import sluice.flink.FlinkJsonDecoder;
import sluice.flink.FlinkJsonEncoder;
import sluice.flink.JacksonFlink;
import sluice.json.JsonEachRowDecoder;
import sluice.json.JsonEncoder;
import sluice.text.CsvDecoder;
import sluice.text.SeparatedEncoder;
import sluice.values.Settings;

/**
 * CPU time of our decoders and encoders, and of the libraries that Spark and Flink use for the same.
 *
 * <p>Arguments: a folder with {@code messages} (a count, then each message after its length) and the
 * descriptions of columns, settings and options as JSON; rounds to warm up; rounds that count. All
 * contenders take turns in each round. What a library makes of the first messages is compared with
 * what ours makes of them, so that both do the same job.
 */
public final class Libraries {
    private static final int COMPARED = 1000;
    private static final int PASSES = 5; // in a round: the clock of CPU time ticks every 10 ms

    /** One way to do a job: from the number of a message to something that is not optimized away. */
    interface Way {
        Object run(int message) throws Exception;
    }

    private final Map<String, Way> ways = new LinkedHashMap<>();
    private final Path folder;
    private final byte[][] json;
    private final int count;

    private Libraries(Path folder) throws IOException {
        this.folder = folder;
        this.json = messages(folder.resolve("messages"));
        this.count = json.length;
    }

    public static void main(String[] arguments) throws Exception {
        Libraries bench = new Libraries(Path.of(arguments[0]));
        bench.clickHouse();
        bench.flink();
        bench.measure(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
    }

    private static byte[][] messages(Path file) throws IOException {
        try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
            byte[][] found = new byte[in.readInt()][];
            for (int n = 0; n < found.length; n++) found[n] = in.readNBytes(in.readInt());
            return found;
        }
    }

    private String read(String name) throws IOException {
        return Files.readString(folder.resolve(name));
    }

    private void clickHouse() throws Exception {
        String columns = read("clickhouse.columns");
        String settings = read("clickhouse.settings");
        Decoder ours = new JsonEachRowDecoder(columns, new Settings(settings));
        JacksonJson jackson = new JacksonJson(columns, settings);
        job("JSONEachRow decode", "sluice", n -> ours.decode(json[n]), "jackson", n -> jackson.decode(json[n]));

        ArrayData[] rows = new ArrayData[count];
        for (int n = 0; n < count; n++) rows[n] = bare(ours.decode(json[n]));
        Encoder encoder = new JsonEncoder(columns, new Settings(settings));
        job("JSONEachRow encode", "sluice", n -> encoder.encode(rows[n]), "jackson", n -> jackson.encode(rows[n]));

        Encoder csv = new SeparatedEncoder.Csv(columns, new Settings(settings));
        byte[][] lines = new byte[count][];
        for (int n = 0; n < count; n++) lines[n] = csv.encode(rows[n]);
        Decoder fields = new CsvDecoder(columns, new Settings(settings));
        CsvLibraries libraries = new CsvLibraries(columns, settings);
        job("CSV decode", "sluice", n -> fields.decode(lines[n]), "jackson-csv", n -> libraries.jackson(lines[n]),
            "univocity", n -> libraries.univocity(lines[n]));
        job("CSV encode", "sluice", n -> csv.encode(rows[n]), "jackson-csv", n -> libraries.encode(rows[n]));
    }

    private void flink() throws Exception {
        String columns = read("flink.columns");
        String options = read("flink.options");
        FlinkDecoder ours = new FlinkJsonDecoder(columns, new Settings(options));
        JacksonFlink jackson = new JacksonFlink(columns);
        job("json decode", "sluice", n -> ours.decode(json[n]), "jackson", n -> jackson.decode(json[n]));

        InternalRow[] rows = new InternalRow[count];
        for (int n = 0; n < count; n++) rows[n] = bare(ours.row(json[n]));
        FlinkEncoder encoder = new FlinkJsonEncoder(columns, new Settings(options));
        job("json encode", "sluice", n -> encoder.row(rows[n]), "jackson", n -> jackson.encode(rows[n]));

        FlinkEncoder csv = new FlinkCsvEncoder(columns, new Settings(options));
        byte[][] lines = new byte[count][];
        for (int n = 0; n < count; n++) lines[n] = csv.row(rows[n]);
        FlinkDecoder fields = new FlinkCsvDecoder(columns, new Settings(options));
        job("csv decode", "sluice", n -> fields.decode(lines[n]), "jackson-csv", n -> jackson.csv(lines[n]));

        FlinkEncoder avro = new sluice.avro.AvroEncoder(columns, new Settings(options));
        byte[][] records = new byte[count][];
        for (int n = 0; n < count; n++) records[n] = avro.row(rows[n]);
        FlinkDecoder record = new sluice.avro.AvroDecoder(columns, new Settings(options));
        sluice.avro.AvroLibrary library = new sluice.avro.AvroLibrary(columns);
        job("avro decode", "sluice", n -> record.decode(records[n]), "BinaryDecoder", n -> library.binary(records[n]),
            "GenericDatumReader", n -> library.generic(records[n]));
    }

    /** A row without the place for its error. */
    private static InternalRow bare(InternalRow row) {
        Object[] values = ((GenericInternalRow) row).values();
        if (values[0] != null) throw new IllegalStateException(values[0].toString());
        return new GenericInternalRow(Arrays.copyOfRange(values, 1, values.length));
    }

    private static ArrayData bare(ArrayData rows) {
        Object[] found = new Object[rows.numElements()];
        for (int n = 0; n < found.length; n++) found[n] = bare((InternalRow) ((GenericArrayData) rows).array()[n]);
        return new GenericArrayData(found);
    }

    /** Names and ways in turn, ours first; all of them have to give the same. */
    private void job(String job, Object... named) throws Exception {
        Way ours = (Way) named[1];
        for (int k = 0; k < named.length; k += 2) {
            Way way = (Way) named[k + 1];
            for (int n = 0; n < Math.min(count, COMPARED); n++) {
                String wanted = shown(ours.run(n));
                String found = shown(way.run(n));
                if (!wanted.equals(found)) {
                    throw new IllegalStateException(job + ", " + named[k] + ", message " + n + ":\n" + wanted + "\n" + found);
                }
            }
            ways.put(job + "\t" + named[k], way);
        }
    }

    /** {@code job}, overloaded so that lambdas have a type. */
    private void job(String job, String ours, Way first, String name, Way second) throws Exception {
        job(job, new Object[] {ours, first, name, second});
    }

    private void job(String job, String ours, Way first, String name, Way second, String other, Way third)
            throws Exception {
        job(job, new Object[] {ours, first, name, second, other, third});
    }

    private static String shown(Object value) {
        if (value instanceof byte[] bytes) return new String(bytes, java.nio.charset.StandardCharsets.UTF_8).strip();
        if (value instanceof GenericArrayData array) return shown(array.array());
        if (value instanceof GenericInternalRow row) return shown(row.values());
        if (value instanceof Object[] values) {
            List<String> all = new ArrayList<>();
            for (Object each : values) all.add(shown(each));
            return all.toString();
        }
        return String.valueOf(value);
    }

    private void measure(int warm, int rounds) throws Exception {
        Map<String, long[]> spent = new LinkedHashMap<>();
        ways.keySet().forEach(name -> spent.put(name, new long[rounds]));
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        int kept = 0;
        for (int round = -warm; round < rounds; round++) {
            for (var each : ways.entrySet()) {
                Way way = each.getValue();
                long began = system.getProcessCpuTime(); // with what the garbage collector takes
                for (int n = 0; n < PASSES * count; n++) kept += way.run(n % count).hashCode() & 1;
                if (round >= 0) spent.get(each.getKey())[round] = (system.getProcessCpuTime() - began) / PASSES;
            }
        }
        System.err.println("kept " + kept);
        spent.forEach((name, times) -> {
            Arrays.sort(times);
            System.out.printf("%s\t%d\t%d%n", name, times[times.length / 2] / count, times[0] / count);
        });
    }
}
