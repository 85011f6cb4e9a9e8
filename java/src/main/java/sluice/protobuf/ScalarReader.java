package sluice.protobuf;

import sluice.scan.BadValue;

/** Reads a field of one value; of several the last counts. */
abstract class ScalarReader extends FieldReader {
    final FieldType type;
    final String field;
    final String column;
    private Object missing;
    private String wrong; // what is wrong with the default, if it is none of the column's type

    ScalarReader(Proto.Field field, String column) {
        this.type = field.type;
        this.field = field.name;
        this.column = column;
    }

    /** Set what is read where there is nothing: a default may be none of the column's type, which only then matters. */
    final ScalarReader otherwise(java.util.function.Supplier<Object> value) {
        try {
            missing = value.get();
        } catch (BadValue bad) {
            wrong = bad.getMessage();
        }
        return this;
    }

    /** The value that comes next. */
    abstract Object value(ProtoCursor in);

    @Override
    Object read(ProtoCursor in, int wire, Object before) {
        if (wire == type.wire) return value(in);
        packed(in, wire);
        int outer = in.end;
        in.end = in.bytesEnd();
        Object last = before;
        while (in.at < in.end) last = value(in);
        in.end = outer;
        return last;
    }

    /** Make sure that many values may come next where one was expected. */
    final void packed(ProtoCursor in, int wire) {
        if (wire != ProtoCursor.BYTES || !type.packs()) {
            throw ProtoCursor.corrupted("the field " + field + " (" + type.word() + ") has the wire type " + wire);
        }
    }

    @Override
    final Object missing() {
        if (wrong != null) throw new BadValue(wrong);
        return missing;
    }

    final BadValue cannot(String value, String from, String to) {
        return new BadValue("Could not convert value '" + BadValue.shown(value) + "' from type " + from + " to type " + to
            + " while reading field '" + field + "' for inserting into column '" + column + "'");
    }
}
