package sluice.changelog;

import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.changes.RowKinds;
import sluice.spark.Columns;

/** The row of a key before a batch and the one after it, as rows of a changelog. */
final class Changes {
    private static final InternalRow INSERT = kind(RowKinds.INSERT);
    private static final InternalRow UPDATE_BEFORE = kind(RowKinds.UPDATE_BEFORE);
    private static final InternalRow UPDATE_AFTER = kind(RowKinds.UPDATE_AFTER);
    private static final InternalRow DELETE = kind(RowKinds.DELETE);

    private final UnsafeProjection oldRow; // both rows of a key are ready at once
    private final UnsafeProjection newRow;
    private final JoinedRow joined = new JoinedRow();

    /** For rows of `width` columns, of which those at `at` are the columns of the result. */
    Changes(StructType columns, int[] at, int width) {
        List<Expression> made = new ArrayList<>();
        for (int i = 0; i < at.length; i++) made.add(new BoundReference(at[i], columns.apply(i).dataType(), true));
        made.add(new BoundReference(width, DataTypes.StringType, false));
        made.add(Literal.create(null, Rows.PLACE));
        oldRow = UnsafeProjection.create(Columns.seq(made));
        newRow = UnsafeProjection.create(Columns.seq(made));
    }

    /** Add what replaces one row by another; either may be null. */
    void add(InternalRow before, InternalRow after, Deque<InternalRow> to) {
        if (before != null) to.add(oldRow.apply(joined.apply(before, after == null ? DELETE : UPDATE_BEFORE)));
        if (after != null) to.add(newRow.apply(joined.apply(after, before == null ? INSERT : UPDATE_AFTER)));
    }

    private static InternalRow kind(UTF8String kind) {
        return new GenericInternalRow(new Object[] {kind});
    }
}
