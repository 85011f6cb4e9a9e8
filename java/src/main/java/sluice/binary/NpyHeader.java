package sluice.binary;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sluice.scan.BadValue;
import sluice.values.Output;

/**
 * What precedes the values in a file of NumPy, {@code {'descr': '<i4', 'fortran_order': False, 'shape': (3, 2), }}.
 *
 * @param kind of the values: {@code i}, {@code u}, {@code f}, {@code b}, {@code S} or {@code U}
 * @param size of a value, in bytes, or in letters for {@code U}
 * @param shape how many rows there are, and how many items each array has
 */
record NpyHeader(char kind, int size, int[] shape) {
    private static final byte[] MAGIC = "\u0093NUMPY".getBytes(StandardCharsets.ISO_8859_1);
    private static final int WRITTEN = 3; // the version that ClickHouse writes
    private static final int UNIT = 64; // of the header's length
    private static final int LONGEST = 1000;
    private static final String NUMBER = "[1-9]\\d{0,8}";
    private static final Pattern FORM = Pattern.compile("\\{'descr': ?'[<|]([iufbSU])(" + NUMBER + ")', ?'fortran_order': ?False, ?"
        + "'shape': ?\\((" + NUMBER + "(?:, ?" + NUMBER + ")*),?\\), ?\\} *\n?");
    private static final Pattern BETWEEN = Pattern.compile(", ?");

    /** Go behind it: where its text begins, which is at most so long. */
    static int text(BinaryCursor in) {
        int first = in.take(MAGIC.length);
        if (!Arrays.equals(MAGIC, 0, MAGIC.length, in.bytes, first, in.at)) throw new BadValue("It is no file of NumPy");
        int version = in.one();
        if (version < 1 || version > WRITTEN || in.one() != 0) throw new BadValue("Another version of NumPy's files");
        long length = version == 1 ? in.two() & 0xFFFF : in.four() & 0xFFFFFFFFL;
        if (length > LONGEST) throw new BadValue("The header has " + length + " bytes");
        return in.take(length);
    }

    /** What a text means that is written as NumPy and ClickHouse write it. */
    static NpyHeader of(byte[] text) {
        Matcher found = FORM.matcher(new String(text, StandardCharsets.ISO_8859_1));
        if (!found.matches()) throw new BadValue("Another header: " + BadValue.shown(text, 0, text.length));
        int[] shape = BETWEEN.splitAsStream(found.group(3)).mapToInt(Integer::parseInt).toArray();
        return new NpyHeader(found.group(1).charAt(0), Integer.parseInt(found.group(2)), shape);
    }

    /** Write it, as ClickHouse does; {@code type} is {@code <i4}, {@code |S3} or the like. */
    static void write(String type, int[] shape, Output out) {
        out.put(MAGIC);
        out.put(WRITTEN);
        out.put(0);
        int length = out.size;
        out.putLowInt(0);
        int first = out.size;
        out.put("{'descr':'" + type + "','fortran_order':False,'shape':(");
        for (int count : shape) {
            out.put((long) count);
            out.put(',');
        }
        out.put("),}");
        while ((out.size + 1) % UNIT != 0) out.put(' ');
        out.put('\n');
        out.setLowInt(length, out.size - first);
    }
}
