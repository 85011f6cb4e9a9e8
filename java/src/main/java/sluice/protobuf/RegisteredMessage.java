package sluice.protobuf;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import sluice.errors.ConditionException;
import sluice.registry.Plans;
import sluice.registry.RegisteredSchema;
import sluice.registry.SchemaId;
import sluice.registry.SchemaRegistry;
import sluice.scan.BadValue;

/** The messages of schemas in a registry: of an id, and of a path of positions that follows it in a message. */
final class RegisteredMessage<V> {
    private static final String FIRST = "schema";
    private static final int DEEPEST = 100;

    /** A schema, and the positions of a message in it. */
    private record Key(int id, List<Integer> path) {}

    private final Plans<Key, V> plans = new Plans<>();
    private final SchemaRegistry registry;
    private final Function<Proto.Message, V> make;

    /** {@code make} is what is wanted of a message; it is kept. */
    RegisteredMessage(SchemaRegistry registry, Function<Proto.Message, V> make) {
        this.registry = registry;
        this.make = make;
    }

    /** What is wanted of the record that a message holds; the position is after what precedes it. */
    V read(ProtoCursor in) {
        int id = SchemaId.of(in.bytes, in.at);
        in.at += SchemaId.LENGTH;
        Key key = new Key(id, path(in));
        V found = plans.get(key, () -> made(key));
        if (found == null) throw new BadValue("The schema registry has no schema with the id " + id);
        return found;
    }

    /** Positions of messages, each within the one before it; none is the first message. */
    private static List<Integer> path(ProtoCursor in) {
        long count = in.whole(FieldType.SINT32);
        if (count == 0) return List.of(0);
        if (count < 0 || count > DEEPEST) throw ProtoCursor.corrupted("a message at " + count + " positions in its schema");
        Integer[] found = new Integer[(int) count];
        for (int i = 0; i < found.length; i++) found[i] = (int) in.whole(FieldType.SINT32);
        return Arrays.asList(found);
    }

    private V made(Key key) {
        RegisteredSchema schema = registry.find(key.id);
        if (schema == null) return null;
        try {
            Proto.Message message = files(schema).at(key.path.stream().mapToInt(i -> i).toArray());
            if (message == null) throw new BadValue("The schema with the id " + key.id + " has no message at " + key.path);
            return make.apply(message);
        } catch (ConditionException bad) {
            throw new BadValue("The schema with the id " + key.id + " does not fit: " + bad.told());
        }
    }

    /** The files of a schema: its own, and those that it refers to. */
    static ProtoFiles files(RegisteredSchema schema) {
        if (!schema.type.equals(RegisteredSchema.PROTOBUF)) throw new BadValue("The schema is one of type " + schema.type);
        return schema.parsed(given -> {
            Map<String, String> texts = new LinkedHashMap<>();
            given.dependencies().forEach((name, other) -> texts.put(name, DescriptorText.of(other.text)));
            texts.put(FIRST, DescriptorText.of(given.text));
            return new ProtoFiles(texts, FIRST);
        });
    }
}
