package sluice.protobuf;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Says groups as editions do: a message of its own, and a field of it that is delimited. The parser knows of a group
 * only plain fields, the language allows whatever is in a message.
 */
final class Groups {
    private static final int DEEPEST = 200; // the parser refuses what is much deeper
    private static final String COMMENT = "//[^\\n]*+|/\\*(?s:.*?)(?:\\*/|\\z)";
    private static final String GAP = "(?:\\s++|" + COMMENT + ')';
    private static final String TEXT = "\"(?:\\\\.|[^\"\\\\\\n])*+\"?|'(?:\\\\.|[^'\\\\\\n])*+'?";
    private static final String GROUP = "\\bgroup" + GAP + "++(?<name>\\w++)" + GAP + "*+=" + GAP
        + "*+(?<number>\\w++)" + GAP + "*+(?:\\[(?<options>(?:[^\\[\\]\"']|" + TEXT + ")*+)\\]" + GAP + "*+)?\\{";
    private static final Pattern TOKEN = Pattern.compile(COMMENT + '|' + TEXT + '|' + GROUP
        + "|\\b(?<within>oneof|extend)" + GAP + "++[\\w.]++" + GAP + "*+\\{|[{}]");

    /** What stands between braces: a message cannot be inside a oneof, so it follows it. */
    private static final class Block {
        final StringBuilder out = new StringBuilder();
        final StringBuilder after = new StringBuilder();
        final String group;
        final boolean within;

        Block(String group, boolean within) {
            this.group = group;
            this.within = within;
        }
    }

    private Groups() {}

    /** The text without groups, with everything on the line where it was, but for what is in a oneof. */
    static String asMessages(String text) {
        if (!text.contains("group")) return text;
        Deque<Block> open = new ArrayDeque<>();
        open.push(new Block(null, false));
        Matcher token = TOKEN.matcher(text);
        int at = 0;
        while (token.find()) {
            String found = token.group();
            Block in = open.peek();
            boolean opens = found.endsWith("{"), closes = found.equals("}");
            if (!opens && !closes || found.startsWith("/")) continue;
            in.out.append(text, at, token.start());
            at = token.end();
            if (opens) {
                String name = token.group("name");
                in.out.append(name == null ? found : field(token));
                open.push(new Block(name, token.group("within") != null));
            } else if (open.size() > 1) {
                close(open.pop(), open.peek());
            }
            if (open.size() > DEEPEST || closes && open.size() == 1 && in == open.peek()) return text;
        }
        if (open.size() > 1) return text; // what is wrong with it is told by the parser
        return open.pop().out.append(text, at, text.length()).toString();
    }

    private static String field(Matcher group) {
        String more = group.group("options") == null ? "" : ", " + group.group("options");
        return group.group("name") + ' ' + group.group("name").toLowerCase(Locale.ROOT) + " = " + group.group("number")
            + " [features.message_encoding = DELIMITED" + more + "];";
    }

    private static void close(Block done, Block outer) {
        String body = done.out + "}" + done.after;
        if (done.group == null) outer.out.append(body);
        else (outer.within ? outer.after : outer.out).append(" message ").append(done.group).append(" {").append(body);
    }
}
