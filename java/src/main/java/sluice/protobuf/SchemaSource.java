package sluice.protobuf;

import java.util.List;
import java.util.Map;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** The message of a table, from its settings: the texts of its schema's files, or a schema made of its columns. */
final class SchemaSource {
    /** The message that contains the rows of ProtobufList. */
    private static final String ENVELOPE = "Envelope";

    private SchemaSource() {}

    /** {@code schema.files} are texts by their paths, {@code schema.file} is the first, {@code schema.message} a name. */
    static Proto.Message message(List<TypeSpec.Column> columns, Settings settings, boolean enveloped) {
        String file = settings.textOrNull("schema.file");
        if (file == null) {
            String text = GeneratedSchema.of(columns);
            return new ProtoFiles(Map.of("generated", text), "generated").find(GeneratedSchema.MESSAGE);
        }
        return find(new ProtoFiles(settings.textsByName("schema.files"), file), file, settings.text("schema.message"), enveloped);
    }

    /** The message of a Java class: below its package, and there perhaps within a class for the whole file. */
    static Proto.Message ofClass(Settings settings) {
        String file = settings.text("schema.file");
        String name = settings.text("schema.message");
        ProtoFiles files = new ProtoFiles(settings.textsByName("schema.files"), file);
        Proto.Message found = files.find(name);
        if (found == null) found = files.find(name.substring(name.indexOf('.') + 1));
        if (found == null) throw SchemaError.at(file, 1, "Could not find a message named '" + name + "'");
        return found;
    }

    private static Proto.Message find(ProtoFiles files, String file, String name, boolean enveloped) {
        Proto.Message found = enveloped ? files.find(ENVELOPE + "." + name) : null;
        if (found == null) found = files.find(name);
        if (found == null) throw SchemaError.at(file, 1, "Could not find a message named '" + name + "'");
        return found;
    }
}
