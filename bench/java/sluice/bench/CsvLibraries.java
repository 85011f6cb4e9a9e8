package sluice.bench;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.csv.CsvFactory;
import com.fasterxml.jackson.dataformat.csv.CsvGenerator;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import com.univocity.parsers.csv.CsvParserSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import sluice.decode.TableColumns;
import sluice.scan.FieldCursor;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.TypeSpec;
import sluice.values.ValueReaders;
import sluice.values.ValueWriter;
import sluice.values.ValueWriters;

/**
 * ClickHouse's CSV with fields found by jackson-dataformat-csv (Flink's library) or univocity (Spark's).
 * Neither tells an empty field from an empty text in quotes, or \N from "\N", so this is less than the job.
 */
final class CsvLibraries {
    private final CsvFactory factory = CsvFactory.builder().enable(CsvGenerator.Feature.ALWAYS_QUOTE_STRINGS).build();
    private final com.univocity.parsers.csv.CsvParser univocity;
    private final TableColumns table;
    private final List<ValueWriter> writers = new ArrayList<>();
    private final List<String> kinds = new ArrayList<>();

    CsvLibraries(String columns, String settings) {
        Settings given = new Settings(settings);
        table = new TableColumns(columns, new ValueReaders(given, false));
        for (JsonNode each : TypeSpec.tree(columns)) {
            writers.add(new ValueWriters(given).of(new TypeSpec(each.get("type"))));
            kinds.add(each.get("type").get("kind").asText().intern());
        }
        CsvParserSettings how = new CsvParserSettings();
        how.setEmptyValue("");
        how.setNullValue("");
        how.setIgnoreLeadingWhitespaces(false);
        how.setIgnoreTrailingWhitespaces(false);
        univocity = new com.univocity.parsers.csv.CsvParser(how);
    }

    ArrayData jackson(byte[] message) throws IOException {
        List<Object> rows = new ArrayList<>(1);
        try (CsvParser in = (CsvParser) factory.createParser(message)) {
            while (in.nextToken() == JsonToken.START_ARRAY) {
                Object[] row = table.row();
                for (int n = 0; in.nextToken() != JsonToken.END_ARRAY; n++) row[n + 1] = value(in.getText(), n);
                rows.add(new GenericInternalRow(table.filled(row)));
            }
        }
        return new GenericArrayData(rows.toArray());
    }

    ArrayData univocity(byte[] message) {
        String[] fields = univocity.parseLine(new String(message, StandardCharsets.UTF_8));
        Object[] row = table.row();
        for (int n = 0; n < fields.length; n++) row[n + 1] = value(fields[n], n);
        return new GenericArrayData(new Object[] {new GenericInternalRow(table.filled(row))});
    }

    private Object value(String field, int column) {
        byte[] text = field.getBytes(StandardCharsets.UTF_8);
        FieldCursor at = new FieldCursor(text);
        at.slice(0, text.length);
        return text.length == 0 ? table.values[column].missing : table.values[column].field(at);
    }

    byte[] encode(ArrayData rows) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream(512);
        Output text = new Output(64);
        try (JsonGenerator to = factory.createGenerator(out)) {
            for (int n = 0; n < rows.numElements(); n++) {
                InternalRow row = rows.getStruct(n, writers.size());
                to.writeStartArray();
                for (int k = 0; k < writers.size(); k++) {
                    if (kinds.get(k) == "whole") {
                        to.writeNumber(row.getLong(k));
                    } else if (kinds.get(k) == "text" || kinds.get(k) == "choice") {
                        to.writeString(row.getUTF8String(k).toString());
                    } else {
                        text.size = 0;
                        writers.get(k).plain(row, k, text);
                        String shown = new String(text.bytes, 0, text.size, StandardCharsets.UTF_8);
                        if (kinds.get(k) == "unsigned64") to.writeNumber(Long.parseLong(shown));
                        else to.writeString(shown);
                    }
                }
                to.writeEndArray();
            }
        }
        return out.toByteArray();
    }
}
