package sluice.registry;

import sluice.values.Settings;

/** Under which subject the schema of a topic's keys or values is registered, by the name of the strategy. */
public enum Subjects {
    /** {@code <topic>-value}. */
    TopicNameStrategy {
        @Override
        String of(String subject, String topic, String record) {
            return subject;
        }
    },
    /** The full name of the record. */
    RecordNameStrategy {
        @Override
        String of(String subject, String topic, String record) {
            return record;
        }
    },
    /** {@code <topic>-<full name of the record>}. */
    TopicRecordNameStrategy {
        @Override
        String of(String subject, String topic, String record) {
            return topic + "-" + record;
        }
    };

    /** The name of the records that ClickHouse writes. */
    public static final String ROW = "row";

    private static final String CLICKHOUSE = "output_format_avro_confluent_subject";

    abstract String of(String subject, String topic, String record);

    /** The subject that settings give for records of a name: their own, or by the strategy that they choose. */
    public static String of(Settings settings, String record) {
        String own = settings.textOrNull(CLICKHOUSE); // null in Flink
        if (own != null && !own.isEmpty()) return own;
        String strategy = settings.textOrNull(own == null ? "subject.name.strategy" : CLICKHOUSE + "_name_strategy");
        String topic = settings.textOrNull("subject.topic"); // null where the subject itself is given
        String subject = settings.text("subject");
        return strategy == null || topic == null ? subject : valueOf(strategy).of(subject, topic, record);
    }
}
