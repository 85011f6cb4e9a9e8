package sluice.avro;

/** Reads what comes next as a value of a column. */
interface ColumnValue {
    Object read(AvroBytes in);
}
