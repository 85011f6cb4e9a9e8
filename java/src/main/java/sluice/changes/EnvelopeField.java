package sluice.changes;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import sluice.flink.FlinkValues;
import sluice.scan.BadValue;
import sluice.scan.JsonCursor;
import sluice.values.Settings;
import sluice.values.TypeSpec;
import sluice.values.ValueReader;

/** What is taken from a field of an envelope, besides its rows and its operation. */
interface EnvelopeField extends Serializable {
    /** Read the value that comes next. */
    void read(JsonCursor in, Event event);

    /** What has been read of an envelope: where its rows begin, -1 for none, and what is done to them. */
    final class Event {
        int after = -1;
        int before = -1;
        Operation operation;
        String unknown; // the name of an operation that is none
        boolean excluded;
        boolean wrapped; // whether there was an envelope within the message
        int tests;
        int types = -1; // where the types of columns are declared
        int typesEnd;
        final Object[] metadata;

        Event(int count) {
            metadata = new Object[count];
        }
    }

    /** How times are written in a field. */
    enum Time { NONE, SECONDS, MILLISECONDS, SQL, ISO }

    /** Where metadata is in an envelope: a field, or one of its own fields. */
    record Source(String field, String inner, Time time) {
        static Source of(String field) {
            return new Source(field, null, Time.NONE);
        }

        static Source in(String field, Time time) {
            return new Source(field, null, time);
        }
    }

    /** A field with the reader of its value. */
    record Named(String field, EnvelopeField value) {}

    /** The field that declares the types of columns, if these are asked for. */
    static List<Named> types(String field, SchemaDrift drift) {
        if (drift == null) return List.of();
        return List.of(new Named(field, (in, event) -> {
            in.peek();
            event.types = in.at;
            in.skipUnread();
            event.typesEnd = in.at;
        }));
    }

    /** The fields that hold the metadata a table has columns for. */
    static List<Named> metadata(ChangeRows rows, Map<String, Source> known, Settings options) {
        List<Named> found = new ArrayList<>();
        for (int i = 0; i < rows.wanted.size(); i++) {
            int place = i;
            Source source = known.get(rows.wanted.get(i));
            ValueReader value = reader(source.time(), rows.metadata.get(i).type(), options);
            boolean lenient = options.fixed("ignore-parse-errors");
            Time time = source.time();
            EnvelopeField whole = (in, event) -> event.metadata[place] = micros(time, value(in, value, lenient));
            String inner = source.inner();
            found.add(new Named(source.field(), inner == null ? whole : inside(inner, whole)));
        }
        return found;
    }

    private static ValueReader reader(Time time, TypeSpec type, Settings options) {
        FlinkValues values = RowImage.flink(options);
        switch (time) {
            case SECONDS:
            case MILLISECONDS: return values.of(described("{\"kind\":\"whole\",\"bits\":64,\"name\":\"BIGINT\"}"));
            case SQL:
            case ISO:
                return new FlinkValues(values.lenient(), false, time == Time.ISO)
                    .of(described("{\"kind\":\"local\",\"precision\":6,\"name\":\"TIMESTAMP(6)\"}"));
            default: return values.of(type);
        }
    }

    private static TypeSpec described(String type) {
        return new TypeSpec(TypeSpec.tree(type));
    }

    private static Object value(JsonCursor in, ValueReader value, boolean lenient) {
        int start = in.at;
        try {
            return value.json(in);
        } catch (BadValue bad) {
            if (!lenient) throw bad;
            in.at = start;
            in.skipUnread();
            return null;
        }
    }

    private static Object micros(Time time, Object value) {
        if (value == null || time != Time.SECONDS && time != Time.MILLISECONDS) return value;
        try {
            return Math.multiplyExact((Long) value, time == Time.SECONDS ? 1_000_000L : 1000L);
        } catch (ArithmeticException bad) {
            throw new BadValue(value + " is too far from 1970");
        }
    }

    /** A field of an object. */
    private static EnvelopeField inside(String name, EnvelopeField value) {
        byte[] wanted = name.getBytes(StandardCharsets.UTF_8);
        return (in, event) -> {
            if (in.peek() != '{') {
                in.skip();
                return;
            }
            in.at++;
            for (boolean more = !in.took('}'); more; more = in.another('}')) {
                in.key();
                boolean is = Arrays.equals(wanted, 0, wanted.length, in.text, in.from, in.to);
                if (is) value.read(in, event);
                else in.skip();
            }
        };
    }
}
