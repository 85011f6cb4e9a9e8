package sluice;

/** JSON lists, each with the values of a row in the table's order. */
final class JsonCompactEachRow extends RowDecoder<Json> {
    private final boolean anyNumber;

    JsonCompactEachRow(Table table, Settings settings) {
        super(table, settings);
        anyNumber = settings.flag("input_format_json_compact_allow_variable_number_of_columns");
    }

    @Override
    Json open(byte[] message) {
        return new Json(message);
    }

    @Override
    boolean begin(Json in) {
        in.skipMark();
        return in.peek() >= 0;
    }

    @Override
    boolean more(Json in, boolean first) {
        return in.more(first);
    }

    @Override
    Object[] row(Json in) {
        Object[] row = table.row();
        in.take('[');
        int count = table.values.length;
        for (int i = 0; i < count; i++) {
            if (anyNumber && in.peek() == ']') break;
            if (i > 0) in.take(',');
            try {
                row[i + 1] = table.values[i].json(in);
            } catch (BadValue bad) {
                throw table.wrong(bad, i, "key");
            }
        }
        while (anyNumber && in.took(',')) in.skip();
        in.take(']');
        return table.filled(row);
    }
}
