package sluice.binary;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import sluice.scan.JsonCursor;
import sluice.values.JsonTree;
import sluice.values.Output;
import sluice.values.TypeSpec;
import sluice.values.ValueReader;
import sluice.values.ValueReaders;

/** An object of type JSON by its paths: those with a type in its bytes, each other value after its own type. */
final class BinaryJson extends BinaryValue {
    private final ValueReader document;
    private final BinaryAny any;
    private final Map<String, ValueReader> readers = new LinkedHashMap<>();
    private final Map<String, BinaryAny.Known> typed = new LinkedHashMap<>();

    BinaryJson(TypeSpec type, ValueReader document, ValueReaders reads, BinaryAny any) {
        super(type.name(), 1, document.missing);
        this.document = document;
        this.any = any;
        type.json().get("paths").forEach(path -> {
            TypeSpec spec = new TypeSpec(path.get(1));
            readers.put(path.get(0).asText(), reads.of(spec));
            typed.put(path.get(0).asText(), any.known(spec));
        });
    }

    @Override
    Object read(BinaryCursor in) {
        Output text = new Output();
        any.object(in, typed, text);
        return document.text(text.bytes, 0, text.size);
    }

    @Override
    void write(SpecializedGetters row, int at, Output out) {
        Map<String, JsonTree> paths = new LinkedHashMap<>();
        JsonAsBytes.collect(JsonTree.of(row.getUTF8String(at)), "", typed.keySet(), paths);
        typed.keySet().forEach(path -> paths.putIfAbsent(path, null));
        out.putVarint(paths.size());
        paths.forEach((path, item) -> {
            TypeBytes.text(path, out);
            if (typed.containsKey(path)) typed(path, item, out);
            else JsonAsBytes.dynamic(item, out);
        });
    }

    private void typed(String path, JsonTree item, Output out) {
        Object value = item == null ? null : readers.get(path).json(new JsonCursor(item.json().getBytes()));
        typed.get(path).value().put(new GenericInternalRow(new Object[] {value}), 0, out);
    }
}
