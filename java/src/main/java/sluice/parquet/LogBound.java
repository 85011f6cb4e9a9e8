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

/** A bound of a column as Delta's log has it. */
final class LogBound {
    private static final DateTimeFormatter LOCAL = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS");
    private static final DateTimeFormatter INSTANT = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSXXX");

    private LogBound() {}

    static Object of(Number value, DataType type) {
        if (type instanceof DecimalType decimal) {
            return value instanceof BigDecimal ? value : BigDecimal.valueOf(value.longValue(), decimal.scale());
        }
        if (type instanceof DateType) {
            return LocalDate.ofEpochDay(value.longValue()).toString();
        }
        if (type instanceof TimestampType) {
            return INSTANT.format(instant(value).atOffset(ZoneOffset.UTC));
        }
        if (type instanceof TimestampNTZType) {
            return LOCAL.format(instant(value).atOffset(ZoneOffset.UTC));
        }
        return type instanceof FloatType ? (Number) value.floatValue() : value;
    }

    private static Instant instant(Number micros) {
        return Instant.ofEpochMilli(Math.floorDiv(micros.longValue(), 1000L));
    }
}
