package sluice.protobuf;

import com.squareup.wire.schema.Field.Label;
import com.squareup.wire.schema.Location;
import com.squareup.wire.schema.internal.parser.EnumConstantElement;
import com.squareup.wire.schema.internal.parser.EnumElement;
import com.squareup.wire.schema.internal.parser.FieldElement;
import com.squareup.wire.schema.internal.parser.MessageElement;
import com.squareup.wire.schema.internal.parser.OneOfElement;
import com.squareup.wire.schema.internal.parser.OptionElement;
import com.squareup.wire.schema.internal.parser.ProtoFileElement;
import com.squareup.wire.schema.internal.parser.ProtoParser;
import com.squareup.wire.schema.internal.parser.TypeElement;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The messages of a file and of those that it imports. */
final class ProtoFiles {
    private static final int LARGEST_NUMBER = (1 << 29) - 1;
    private static final Pattern EDITION = Pattern.compile(
        "\\A(?:\\s|//[^\\n]*\\n|/\\*(?s:.*?)\\*/)*+(edition\\s*=\\s*[\"'][0-9A-Z_]+[\"'])\\s*;");

    /** How a file says things that differ between the versions of the language. */
    private record Rules(boolean presence, boolean packed, boolean delimited, boolean proto3) {
        static Rules of(ProtoFileElement file, boolean edition) {
            if (edition) return new Rules(true, true, false, false).with(file.getOptions());
            String version = file.getSyntax() == null ? "proto2" : file.getSyntax().toString();
            return version.equals("proto3") ? new Rules(false, true, false, true) : new Rules(true, false, false, false);
        }

        Rules with(List<OptionElement> options) {
            String presence = feature(options, "field_presence");
            String encoding = feature(options, "repeated_field_encoding");
            String message = feature(options, "message_encoding");
            return new Rules(presence == null ? this.presence : !presence.equals("IMPLICIT"),
                encoding == null ? packed : encoding.equals("PACKED"),
                message == null ? delimited : message.equals("DELIMITED"), proto3);
        }
    }

    private record Declared(MessageElement element, Rules rules, Proto.Message message) {}

    private final Map<String, String> texts;
    private final Map<String, ProtoFileElement> files = new LinkedHashMap<>();
    private final Map<String, Declared> messages = new LinkedHashMap<>();
    private final Map<String, Proto.EnumType> choices = new HashMap<>();
    private final Set<String> values = new HashSet<>();
    private final Set<String> editions = new HashSet<>(); // files that state one

    /** Files by their paths; what they import is among them or is Google's. */
    ProtoFiles(Map<String, String> texts, String first) {
        this.texts = texts;
        load(first, List.of());
        files.values().forEach(this::declare);
        new ArrayList<>(messages.values()).forEach(this::fill);
    }

    /** The message of that full name, or without the package of the first file; null if there is none. */
    Proto.Message find(String name) {
        ProtoFileElement first = files.values().iterator().next();
        String path = first.getPackageName();
        Declared found = path == null ? null : messages.get(path + "." + name);
        if (found == null) found = messages.get(name.startsWith(".") ? name.substring(1) : name);
        return found == null ? null : found.message;
    }

    /** The message at a path of positions: among those of the first file, then among those within it. */
    Proto.Message at(int[] path) {
        ProtoFileElement first = files.values().iterator().next();
        String scope = first.getPackageName() == null ? "" : first.getPackageName() + ".";
        List<TypeElement> types = first.getTypes();
        Declared found = null;
        for (int index : path) {
            List<TypeElement> inside = types.stream().filter(MessageElement.class::isInstance).toList();
            if (index < 0 || index >= inside.size()) return null;
            found = messages.get(scope + inside.get(index).getName());
            scope = found.message.name + ".";
            types = inside.get(index).getNestedTypes();
        }
        return found == null ? null : found.message;
    }

    /** Read a file and those that it imports; {@code open} are those that import it. */
    private void load(String path, List<String> open) {
        if (open.contains(path)) {
            String chain = String.join(" -> ", open.subList(open.indexOf(path), open.size())) + " -> " + path;
            throw imported(open, path, "File recursively imports itself: " + chain);
        }
        if (files.containsKey(path)) return;
        String text = texts.containsKey(path) ? texts.get(path) : ofGoogle(path);
        if (text == null) {
            if (open.isEmpty()) throw SchemaError.at(path, 1, "there is no such file");
            throw imported(open, path, "the imported file " + path + " does not exist");
        }
        ProtoFileElement file = parsed(path, text);
        files.put(path, file);
        List<String> imports = new ArrayList<>(file.getImports());
        imports.addAll(file.getPublicImports());
        imports.addAll(file.getWeakImports());
        List<String> inner = new ArrayList<>(open);
        inner.add(path);
        for (String each : imports) load(each, inner);
    }

    private ProtoFileElement parsed(String path, String text) {
        Matcher edition = EDITION.matcher(text);
        String known = Groups.asMessages(text);
        if (edition.find()) { // the parser knows none; their fields are written as those of proto3
            known = text.substring(0, edition.start(1)) + "syntax = \"proto3\"" + text.substring(edition.end(1));
            editions.add(path);
        }
        try {
            return ProtoParser.Companion.parse(Location.get(path), known);
        } catch (StackOverflowError deep) {
            throw SchemaError.at(path, 1, "too many things within each other");
        } catch (RuntimeException bad) { // its parser has several
            throw SchemaError.of(path, bad);
        }
    }

    /** An error of an import, on the line of the file that has it. */
    private RuntimeException imported(List<String> open, String path, String reason) {
        String importer = open.get(open.size() - 1);
        String before = texts.getOrDefault(importer, "");
        int found = Math.max(before.indexOf('"' + path + '"'), 0);
        return SchemaError.at(importer, 1 + (int) before.substring(0, found).chars().filter(c -> c == '\n').count(), reason);
    }

    private static String ofGoogle(String path) {
        if (!path.matches("google/protobuf/[a-z_]+\\.proto")) return null;
        try (InputStream in = ProtoParser.class.getResourceAsStream("/" + path)) {
            return in == null ? null : new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private void declare(ProtoFileElement file) {
        String scope = file.getPackageName() == null ? "" : file.getPackageName() + ".";
        Rules rules = Rules.of(file, editions.contains(file.getLocation().getPath()));
        for (TypeElement type : file.getTypes()) declare(type, scope, rules);
    }

    private void declare(TypeElement type, String scope, Rules rules) {
        String name = scope + type.getName();
        if (messages.containsKey(name) || choices.containsKey(name)) {
            throw SchemaError.at(type.getLocation(), '"' + name + "\" is already defined");
        }
        if (type instanceof EnumElement element) {
            choices.put(name, choices(element, name, scope));
            return;
        }
        MessageElement element = (MessageElement) type;
        Rules own = rules.with(element.getOptions());
        messages.put(name, new Declared(element, own, new Proto.Message(name, false)));
        for (TypeElement nested : element.getNestedTypes()) declare(nested, name + ".", own);
    }

    /** An enum; its values are named in the scope that it is in itself. */
    private Proto.EnumType choices(EnumElement element, String name, String scope) {
        Proto.EnumType found = new Proto.EnumType(name);
        for (EnumConstantElement each : element.getConstants()) {
            found.numbers.put(each.getName(), each.getTag());
            if (!values.add(scope + each.getName())) {
                throw SchemaError.at(each.getLocation(), '"' + scope + each.getName() + "\" is already defined:"
                    + " values of enums are siblings of their type, not children of it");
            }
        }
        if (found.numbers.isEmpty()) {
            throw SchemaError.at(element.getLocation(), "Enums must contain at least one value");
        }
        return found;
    }

    /** A field before its type is known, with its place. */
    private record Place(Proto.Field field, Location where) {}

    private void fill(Declared declared) {
        MessageElement element = declared.element;
        List<Place> found = new ArrayList<>();
        for (FieldElement each : element.getFields()) found.add(field(declared, each, null));
        for (OneOfElement oneof : element.getOneOfs()) {
            for (FieldElement each : oneof.getFields()) found.add(field(declared, each, oneof.getName()));
        }
        found.sort(Comparator.comparingInt((Place each) -> each.where.getLine())
            .thenComparingInt(each -> each.where.getColumn()));
        Set<Object> taken = new HashSet<>();
        for (Place each : found) {
            check(declared.message, each, taken);
            declared.message.fields.add(each.field);
        }
    }

    private static void check(Proto.Message message, Place each, Set<Object> taken) {
        int number = each.field.number;
        if (number < 1 || number > LARGEST_NUMBER || number >= 19_000 && number <= 19_999) {
            throw SchemaError.at(each.where, "a field cannot have the number " + number);
        }
        if (!taken.add(number)) {
            throw SchemaError.at(each.where, "Field number " + number + " has already been used in \"" + message.name + '"');
        }
        if (!taken.add(each.field.name)) {
            throw SchemaError.at(each.where, '"' + each.field.name + "\" is already defined in \"" + message.name + '"');
        }
    }

    private Place field(Declared in, FieldElement element, String oneof) {
        Proto.Field found = new Proto.Field(in.message, element.getName(), element.getTag());
        found.given = element.getDefaultValue();
        Rules rules = in.rules.with(element.getOptions());
        if (element.getType().startsWith("map<")) {
            found.type = FieldType.MESSAGE;
            found.message = entry(in, element);
            found.repeated = true;
            return new Place(found, element.getLocation());
        }
        type(found, element.getType(), in.message.name, element.getLocation());
        if (found.type == FieldType.MESSAGE && rules.delimited) found.type = FieldType.GROUP;
        label(found, element.getLabel(), oneof, rules);
        String packed = option(element.getOptions(), "packed");
        found.packed = found.repeated && found.type.packs() && (packed == null ? rules.packed : packed.equals("true"));
        if ("LEGACY_REQUIRED".equals(feature(element.getOptions(), "field_presence"))) found.required = true;
        return new Place(found, element.getLocation());
    }

    private static void label(Proto.Field field, Label label, String oneof, Rules rules) {
        field.oneof = oneof;
        field.repeated = label == Label.REPEATED;
        field.required = label == Label.REQUIRED;
        field.presence = !field.repeated
            && (rules.presence || oneof != null || label == Label.OPTIONAL || field.type.isMessage());
        field.proto3 = rules.proto3;
    }

    /** The message that the entries of a map are. */
    private Proto.Message entry(Declared in, FieldElement element) {
        String inside = element.getType().substring(4, element.getType().length() - 1);
        int comma = inside.indexOf(',');
        Proto.Message found = new Proto.Message(in.message.name + "." + element.getName() + "Entry", true);
        String[] types = {inside.substring(0, comma).trim(), inside.substring(comma + 1).trim()};
        for (int i = 0; i < 2; i++) {
            Proto.Field field = new Proto.Field(found, i == 0 ? "key" : "value", i + 1);
            type(field, types[i], in.message.name, element.getLocation());
            field.presence = field.type.isMessage();
            field.proto3 = in.rules.proto3;
            found.fields.add(field);
        }
        FieldType key = found.fields.get(0).type;
        if (key.isFloating() || key.isMessage() || key == FieldType.BYTES || key == FieldType.ENUM) {
            throw SchemaError.at(element.getLocation(), "a map cannot have keys of the type " + types[0]);
        }
        return found;
    }

    /** Set the type of a field to what a name means within a scope: the innermost thing of that name. */
    private void type(Proto.Field field, String name, String scope, Location where) {
        field.type = FieldType.scalar(name);
        if (field.type != null) return;
        String outer = name.startsWith(".") ? "" : scope;
        String plain = name.startsWith(".") ? name.substring(1) : name;
        while (true) {
            String full = outer.isEmpty() ? plain : outer + "." + plain;
            if (messages.containsKey(full)) {
                field.type = FieldType.MESSAGE;
                field.message = messages.get(full).message;
                return;
            }
            if (choices.containsKey(full)) {
                field.type = FieldType.ENUM;
                field.choices = choices.get(full);
                return;
            }
            if (outer.isEmpty()) throw SchemaError.at(where, '"' + name + "\" is not defined");
            outer = outer.substring(0, Math.max(outer.lastIndexOf('.'), 0));
        }
    }

    /** The value of an option, as the schema has it; null if it is not set. */
    static String option(List<OptionElement> options, String name) {
        for (OptionElement each : options) {
            if (each.getName().equals(name)) return String.valueOf(each.getValue());
        }
        return null;
    }

    private static String feature(List<OptionElement> options, String name) {
        for (OptionElement each : options) {
            if (each.getName().equals("features." + name)) return String.valueOf(each.getValue());
            if (each.getName().equals("features") && each.getValue() instanceof OptionElement inner
                    && inner.getName().equals(name)) return String.valueOf(inner.getValue());
        }
        return null;
    }
}
