package sluice.parquet;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/** The lowest and the highest value of a column as Delta's log has them. */
final class Bounds {
    private static final DateTimeFormatter LOCAL = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS");
    private static final DateTimeFormatter MOMENT = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSXXX");

    private Bounds() {}

    static Object said(Number value, DataType type) {
        if (type instanceof DecimalType decimal) {
            return value instanceof BigDecimal ? value : BigDecimal.valueOf(value.longValue(), decimal.scale());
        }
        if (type instanceof DateType) {
            return LocalDate.ofEpochDay(value.longValue()).toString();
        }
        if (type instanceof TimestampType) {
            return MOMENT.format(moment(value).atOffset(ZoneOffset.UTC));
        }
        if (type instanceof TimestampNTZType) {
            return LOCAL.format(moment(value).atOffset(ZoneOffset.UTC));
        }
        return type instanceof FloatType ? (Number) value.floatValue() : value;
    }

    private static Instant moment(Number micros) {
        return Instant.ofEpochMilli(Math.floorDiv(micros.longValue(), 1000L));
    }
}
