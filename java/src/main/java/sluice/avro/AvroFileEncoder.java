package sluice.avro;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.util.ArrayData;
import sluice.encode.Encoder;
import sluice.values.Output;
import sluice.values.Settings;

/** ClickHouse's Avro, written: a message is a file. The same rows make the same bytes. */
public final class AvroFileEncoder implements Encoder {
    private final String described;
    private final String settings;
    private transient ColumnSchema schema;

    public AvroFileEncoder(String described, Settings settings) {
        this.described = described;
        this.settings = settings.json();
        schema = new ColumnSchema(described, settings);
    }

    @Override
    public byte[] encode(ArrayData rows) {
        Settings given = new Settings(settings);
        if (schema == null) schema = new ColumnSchema(described, given);
        Blocks codec = Blocks.chosen(given.text("output_format_avro_codec"));
        int interval = given.number("output_format_avro_sync_interval");
        List<byte[]> blocks = new ArrayList<>();
        List<Integer> counts = new ArrayList<>();
        try {
            Output block = new Output();
            int first = 0;
            int count = rows.numElements();
            for (int i = 0; i < count; i++) {
                schema.write(rows.getStruct(i, schema.columns()), block);
                if (i < count - 1 && block.size < interval) continue;
                blocks.add(codec.packed(block.bytes, block.size));
                counts.add(i + 1 - first);
                first = i + 1;
                block.size = 0;
            }
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return file(codec, blocks, counts);
    }

    private byte[] file(Blocks codec, List<byte[]> blocks, List<Integer> counts) {
        Output out = new Output();
        out.put(AvroFileDecoder.MAGIC);
        ColumnWriter.number(2, out);
        entry("avro.codec", codec.title, out);
        entry("avro.schema", schema.text, out);
        out.put(0);
        byte[] sync = sync(blocks);
        out.put(sync);
        for (int i = 0; i < blocks.size(); i++) {
            ColumnWriter.number(counts.get(i), out);
            ColumnWriter.bytes(blocks.get(i), out);
            out.put(sync);
        }
        return out.message();
    }

    private static void entry(String name, String value, Output out) {
        ColumnWriter.bytes(name.getBytes(StandardCharsets.UTF_8), out);
        ColumnWriter.bytes(value.getBytes(StandardCharsets.UTF_8), out);
    }

    /** The marker between blocks, which no block should contain. */
    private byte[] sync(List<byte[]> blocks) {
        try {
            MessageDigest digest = MessageDigest.getInstance("MD5");
            digest.update(schema.text.getBytes(StandardCharsets.UTF_8));
            blocks.forEach(digest::update);
            return digest.digest();
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
