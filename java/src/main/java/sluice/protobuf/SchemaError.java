package sluice.protobuf;

import com.squareup.wire.schema.Location;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sluice.errors.ConditionException;

/** Conditions of schemas, and of columns that they do not fit. */
final class SchemaError {
    private static final Pattern SYNTAX = Pattern.compile("Syntax error in (.*?):(\\d+):(\\d+): (.*)", Pattern.DOTALL);

    private SchemaError() {}

    /** At a place in a file. */
    static ConditionException at(Location where, String reason) {
        return at(where.getPath(), Math.max(where.getLine(), 1), reason);
    }

    static ConditionException at(String file, int line, String reason) {
        return new ConditionException("CANNOT_PARSE_PROTOBUF_SCHEMA", Map.of("file", file, "line", line, "reason", reason));
    }

    /** What the parser says. */
    static ConditionException of(String file, RuntimeException bad) {
        String message = String.valueOf(bad.getMessage());
        Matcher syntax = SYNTAX.matcher(message);
        if (!syntax.matches()) return at(file, 1, message);
        return at(file, Integer.parseInt(syntax.group(2)), syntax.group(4));
    }

    /** Of a table whose columns do not fit a message. */
    static ConditionException columns(String problem) {
        return new ConditionException("FORMAT_COLUMNS_UNSUPPORTED", Map.of("format", "Protobuf", "problem", problem));
    }
}
