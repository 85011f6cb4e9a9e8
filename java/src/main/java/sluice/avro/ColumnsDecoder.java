package sluice.avro;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import sluice.decode.Decoder;
import sluice.decode.TableColumns;
import sluice.scan.BadValue;
import sluice.values.Settings;
import sluice.values.ValueReaders;

/** Records as rows of a ClickHouse table; a message is good or bad as a whole. */
abstract class ColumnsDecoder implements Decoder {
    private final String described;
    private final String settings;
    private final int columns;
    private transient ReadPlan.Compiler compiler;

    ColumnsDecoder(String described, Settings settings) {
        this.described = described;
        this.settings = settings.json();
        compiler = made();
        columns = compiler.columns();
    }

    /** Add the rows of a message, each with a place for its error before the columns. */
    abstract void rows(byte[] message, List<Object> found);

    final ReadPlan.Compiler compiler() {
        if (compiler == null) compiler = made();
        return compiler;
    }

    private ReadPlan.Compiler made() {
        Settings all = new Settings(settings);
        return new ReadPlan.Compiler(new TableColumns(described, new ValueReaders(all, false)), described, all);
    }

    @Override
    public final ArrayData decode(byte[] message) {
        List<Object> found = new ArrayList<>();
        try {
            rows(message, found);
        } catch (BadValue bad) {
            return bad.row(columns);
        }
        return new GenericArrayData(found.toArray());
    }
}
