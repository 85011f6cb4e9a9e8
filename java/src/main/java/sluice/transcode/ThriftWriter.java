package sluice.transcode;

import sluice.values.Output;

/** Writes a struct of Thrift's compact protocol, field by field. */
final class ThriftWriter {
    final Output out;
    private int last;

    ThriftWriter(Output out) {
        this.out = out;
    }

    /** A field with a value that is written already. */
    void raw(int id, int type, byte[] value, int from, int to) {
        head(id, type);
        out.put(value, from, to - from);
    }

    void number(int id, int type, long value) {
        head(id, type);
        varint(value << 1 ^ value >> 63);
    }

    /** The begin of a list of structs. */
    void structs(int id, int size) {
        head(id, Thrift.LIST);
        out.put(0xf0 | Thrift.STRUCT);
        varint(size);
    }

    void head(int id, int type) {
        int more = id - last;
        last = id;
        if (more > 0 && more <= 15) {
            out.put(more << 4 | type);
        } else {
            out.put(type);
            varint((long) id << 1 ^ id >> 31);
        }
    }

    void end() {
        out.put(0);
    }

    private void varint(long value) {
        for (; (value & ~0x7fL) != 0; value >>>= 7) out.put((int) (value & 0x7f | 0x80));
        out.put((int) value);
    }
}
