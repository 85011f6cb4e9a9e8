package sluice.avro;

import java.util.HashSet;
import java.util.Set;
import java.util.function.IntFunction;
import org.apache.avro.NameValidator;
import org.apache.avro.Schema;
import sluice.registry.RegisteredSchema;
import sluice.registry.SchemaRegistry;
import sluice.scan.BadValue;

/** Avro schemas that a registry has. */
public final class AvroSchemas {
    private AvroSchemas() {}

    /** The schemas of a registry by their ids. */
    static IntFunction<Schema> registered(SchemaRegistry registry) {
        return id -> of(registry.schema(id));
    }

    /** A registered schema with all that it refers to in it. */
    public static String complete(RegisteredSchema schema) {
        return of(schema).toString();
    }

    /** A registered schema, parsed once; one that is none of Avro's is a bad value. */
    static Schema of(RegisteredSchema schema) {
        return schema.parsed(AvroSchemas::parsed);
    }

    /** Of schemas that others have written: ClickHouse's have points in names, some of other writers wrong defaults. */
    private static Schema.Parser parser() {
        return new Schema.Parser(NameValidator.NO_VALIDATION).setValidateDefaults(false);
    }

    /** The schema of a file. */
    static Schema of(String text) {
        try {
            return parser().parse(text);
        } catch (RuntimeException | StackOverflowError bad) { // its parser has several
            throw new BadValue("The file's schema is not Avro's: " + BadValue.shown(String.valueOf(bad.getMessage())));
        }
    }

    private static Schema parsed(RegisteredSchema schema) {
        if (!schema.type.equals(RegisteredSchema.AVRO)) {
            throw new BadValue("The message's schema is not Avro's but one of type " + BadValue.shown(schema.type));
        }
        Schema.Parser parser = parser();
        Set<String> known = new HashSet<>();
        try {
            for (RegisteredSchema each : schema.dependencies().values()) {
                if (known.add(each.text)) parser.parse(each.text);
            }
            return parser.parse(schema.text);
        } catch (RuntimeException | StackOverflowError bad) { // its parser has several
            throw new BadValue("The message's schema is not Avro's: " + BadValue.shown(String.valueOf(bad.getMessage())));
        }
    }
}
