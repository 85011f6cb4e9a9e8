package sluice.binary;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import sluice.encode.Encoder;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** Rows of one column as a file of NumPy; arrays must have the same length in each of them. */
public final class NpyEncoder implements Encoder {
    private final BinaryValue value;
    private final int depth; // arrays within each other
    private final String kind;
    private final boolean measured; // whether the longest text is how long they all are

    public NpyEncoder(String columns, Settings settings) {
        TypeSpec type = TypeSpec.columns(columns).get(0).type();
        int arrays = 0;
        for (; type.kind().equals("items"); arrays++) type = type.inner("item");
        value = new BinaryValues(settings, false).of(type);
        depth = arrays;
        kind = kind(type);
        measured = type.kind().equals("text");
    }

    private static String kind(TypeSpec type) {
        switch (type.kind()) {
            case "whole": return type.json().get("low").asLong() < 0 ? "<i" : "<u";
            case "unsigned64":
            case "bool": return "<u";
            case "floating": return "<f";
            case "text":
            case "fixed": return "|S";
            default: throw type.unknown();
        }
    }

    @Override
    public byte[] encode(ArrayData rows) {
        InternalRow[] given = new InternalRow[rows.numElements()];
        for (int i = 0; i < given.length; i++) given[i] = rows.getStruct(i, 1);
        int[] shape = new int[depth + 1];
        shape[0] = given.length;
        Cells cells = Cells.of(given, 0);
        for (int i = 1; i <= depth; i++) cells = inside(cells, shape, i);
        BinaryValue written = measured ? new BinaryTexts.Fixed(value.type, longest(cells)) : value;
        Output out = new Output();
        NpyHeader.write(kind + written.least, shape, out);
        for (int i = 0; i < cells.count(); i++) written.put(cells.holders()[i], cells.places()[i], out);
        return out.message();
    }

    /** What is in the arrays, whose length is a part of the shape. */
    private static Cells inside(Cells cells, int[] shape, int part) {
        List<ArrayData> arrays = new ArrayList<>(cells.count());
        for (int i = 0; i < cells.count(); i++) {
            ArrayData array = cells.isNull(i) ? null : cells.holders()[i].getArray(cells.places()[i]);
            int count = array == null ? 0 : array.numElements();
            if (i == 0) shape[part] = count;
            if (count != shape[part]) throw ragged();
            if (count == 0) throw invalid(shape);
            arrays.add(array);
        }
        return Cells.of(arrays);
    }

    private static int longest(Cells texts) {
        int longest = 0;
        for (int i = 0; i < texts.count(); i++) {
            if (!texts.isNull(i)) longest = Math.max(longest, texts.holders()[i].getUTF8String(texts.places()[i]).numBytes());
        }
        return longest;
    }

    private static IllegalArgumentException invalid(int[] shape) {
        String shown = Arrays.stream(shape).mapToObj(count -> count + ",").collect(Collectors.joining());
        return new IllegalArgumentException("Shape (" + shown + ") is invalid, as dimension size cannot be 0");
    }

    private static IllegalArgumentException ragged() {
        return new IllegalArgumentException("ClickHouse doesn't support object types, cannot format ragged nested"
            + " sequences (which is a list of arrays with different shapes)");
    }
}
