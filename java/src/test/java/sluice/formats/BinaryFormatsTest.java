package sluice.formats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.Described;
import sluice.decode.Decoder;
import sluice.encode.Encoder;

/** Messages of ClickHouse's binary formats: round trips, and bytes that are wrong somewhere. */
class BinaryFormatsTest {
    private static final String COLUMNS = "i Int64; n Nullable(Int32); u UInt64; f Float64; d Decimal(9, 2); b Bool; "
        + "s String; x FixedString(3); id UUID; e Enum; day Date; t DateTime; p DateTime64(3); "
        + "a Array(Nullable(Int8)); m Map(String, Int16); c Tuple(k String, v Nullable(Float32)); aa Array(Array(String))";
    private static final String ROWS = "[-9223372036854775808,null,18446744073709551615,0.1,1.5,true,"
        + "\"q\\\"\\\\\\n\\tü,;='\",\"ab\\u0000\",\"61f0c404-5cb3-11e7-907b-a6006ad3dba0\",\"b\",\"2020-02-29\","
        + "\"2106-02-07 06:28:15\",\"1999-12-31 23:59:59.123\",[1,null,-128],{\"k\":1,\"\":-32768},[\"\",null],[[\"x\"],[]]]\n"
        + "[9223372036854775807,-1,0,-1e-7,-9999999.99,false,\"\",\"\\u0000\\u0000\\u0000\","
        + "\"00000000-0000-0000-0000-000000000000\",\"a\",\"1970-01-01\",\"1970-01-01 00:00:00\","
        + "\"1970-01-01 00:00:00.000\",[],{},[\"z\",-0.5],[]]\n";

    private static byte[] message(String format) {
        ArrayData rows = ClickHouseFormatsTest.decode("JSONCompactEachRow", COLUMNS, "", ROWS);
        var encoder = (Encoder) sent(Described.encoder(format, Described.columns(COLUMNS), Described.settings("")));
        return encoder.encode(plain(rows));
    }

    /** Rows without the place for their error. */
    private static ArrayData plain(ArrayData rows) {
        Object[] found = new Object[rows.numElements()];
        for (int i = 0; i < found.length; i++) {
            Object[] values = ((GenericInternalRow) rows.getStruct(i, 0)).values();
            found[i] = new GenericInternalRow(Arrays.copyOfRange(values, 1, values.length));
        }
        return new GenericArrayData(found);
    }

    private static Decoder decoder(String format) {
        return (Decoder) sent(Described.decoder(format, Described.columns(COLUMNS), Described.settings("")));
    }

    /** As an executor gets it. */
    private static Object sent(Object made) {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(made);
            }
            return new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
        } catch (IOException | ClassNotFoundException failed) {
            throw new IllegalStateException(failed);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"RowBinary", "RowBinaryWithNames", "RowBinaryWithNamesAndTypes", "MsgPack", "Native", "Buffers", "CapnProto"})
    void whatIsWrittenIsReadBack(String format) {
        ArrayData rows = ClickHouseFormatsTest.decode("JSONCompactEachRow", COLUMNS, "", ROWS);
        String wanted = ClickHouseFormatsTest.shown(rows, COLUMNS);
        Decoder decoder = decoder(format);
        byte[] message = message(format);
        assertEquals(wanted, ClickHouseFormatsTest.shown(decoder.decode(message), COLUMNS));
        assertEquals(wanted, ClickHouseFormatsTest.shown(decoder.decode(message), COLUMNS), "with a header that is known");
    }

    /** A message that breaks off has the rows before, or one error; one with other bytes has some rows, or one error. */
    @ParameterizedTest
    @ValueSource(strings = {"RowBinary", "RowBinaryWithNames", "RowBinaryWithNamesAndTypes", "MsgPack", "Native", "Buffers", "CapnProto"})
    void bytesThatAreWrong(String format) {
        Decoder decoder = decoder(format);
        byte[] message = message(format);
        for (int end = 0; end < message.length; end++) {
            ArrayData rows = decoder.decode(Arrays.copyOf(message, end));
            if (rows.numElements() == 1 && rows.getStruct(0, 0).isNullAt(0)) continue; // the first row
            String error = ClickHouseFormatsTest.shown(rows, COLUMNS);
            if (rows.numElements() > 0) assertTrue(error.startsWith("error: "), error);
        }
        Random random = new Random(1);
        for (int turn = 0; turn < 20_000; turn++) {
            byte[] other = message.clone();
            for (int k = random.nextInt(4); k >= 0; k--) other[random.nextInt(other.length)] = (byte) random.nextInt();
            ArrayData rows = decoder.decode(other);
            for (int i = 0; i < rows.numElements(); i++) {
                boolean wrong = !rows.getStruct(i, 0).isNullAt(0);
                assertFalse(wrong && rows.numElements() > 1);
            }
        }
    }

    /** Arrays of one shape are read back; those of others are no message. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        # column | rows | how they are described, or an error
        a Int64 | [-9223372036854775808] [7] | `'<i8','fortran_order':False,'shape':(2,),}`
        a UInt16 | [65535] | `'<u2','fortran_order':False,'shape':(1,),}`
        a UInt64 | [18446744073709551615] | `'<u8','fortran_order':False,'shape':(1,),}`
        a Float32 | [0.5] [-1.5] | `'<f4','fortran_order':False,'shape':(2,),}`
        a FixedString(2) | ["a\\u0000"] ["bc"] | `'|S2','fortran_order':False,'shape':(2,),}`
        a Array(String) | [["","é"]] [["abc","d"]] | `'|S3','fortran_order':False,'shape':(2,2,),}`
        a Array(Array(Int8)) | [[[1,2],[3,4],[5,6]]] | `'<i1','fortran_order':False,'shape':(1,3,2,),}`
        a Array(Array(Int8)) | [[[1,2],[3]]] | error: ragged nested sequences
        a Array(Int8) | [[1,2]] [[]] | error: ragged nested sequences
        a Array(Array(Int8)) | [[]] | error: Shape (1,0,0,) is invalid
        """)
    void filesOfNumpy(String column, String rows, String wanted) {
        String lines = rows.replace(' ', '\n');
        ArrayData given = plain(ClickHouseFormatsTest.decode("JSONCompactEachRow", column, "", lines + "\n"));
        var encoder = (Encoder) sent(Described.encoder("Npy", Described.columns(column), Described.settings("")));
        if (wanted.startsWith("error: ")) {
            var error = assertThrows(IllegalArgumentException.class, () -> encoder.encode(given));
            assertTrue(error.getMessage().contains(wanted.substring(7)), error.getMessage());
            return;
        }
        byte[] message = encoder.encode(given);
        assertTrue(new String(message, StandardCharsets.ISO_8859_1).contains("{'descr':" + wanted));
        var decoder = (Decoder) sent(Described.decoder("Npy", Described.columns(column), Described.settings("")));
        assertEquals(lines + "\n", ClickHouseFormatsTest.shown(decoder.decode(message), column));
    }

    /** A column with a default of its own is NULL where a message says default; one that may be NULL is a struct. */
    @Test
    void defaultsOfColumns() {
        String columns = """
            [{"column": "a", "type": {"kind": "whole", "name": "Int8", "declared": "Int8", "bits": 8, "low": -128,
              "high": 127, "nullable": true, "required": true}},
             {"column": "b", "wrapped": true, "type": {"kind": "text", "name": "String", "nullable": true,
              "declared": "Nullable(String)"}}]""";
        var decoder = (Decoder) sent(Described.decoder("RowBinaryWithDefaults", columns, Described.settings("")));
        ArrayData rows = decoder.decode(new byte[] {1, 1, 0, 7, 0, 0, 1, 'x', 0, 7, 0, 1});
        assertEquals(3, rows.numElements());
        for (int i = 0; i < 3; i++) assertTrue(rows.getStruct(i, 3).isNullAt(0));
        assertTrue(rows.getStruct(0, 3).isNullAt(1) && rows.getStruct(0, 3).isNullAt(2), "defaults");
        assertEquals(7, rows.getStruct(1, 3).getByte(1));
        assertEquals("x", rows.getStruct(1, 3).getStruct(2, 1).getUTF8String(0).toString());
        assertFalse(rows.getStruct(2, 3).isNullAt(2), "a NULL that is written");
        assertTrue(rows.getStruct(2, 3).getStruct(2, 1).isNullAt(0));
    }
}
