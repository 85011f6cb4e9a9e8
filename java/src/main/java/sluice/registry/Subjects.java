package sluice.registry;

import sluice.values.Settings;

/** Under which subject the schema of a topic's keys or values is registered. */
public enum Subjects {
    /** {@code <topic>-value}. */
    TOPIC,
    /** The full name of the record. */
    RECORD,
    /** {@code <topic>-<full name of the record>}. */
    TOPIC_RECORD;

    /** The subject that settings give for records of a name: their own, or by the strategy that they choose. */
    public static String of(Settings settings, String record) {
        String own = settings.text("subject");
        String strategy = settings.textOrNull("subject.name.strategy");
        String topic = settings.textOrNull("subject.topic"); // null where the subject itself is given
        if (strategy == null || topic == null) return own;
        switch (named(strategy)) {
            case RECORD: return record;
            case TOPIC_RECORD: return topic + "-" + record;
            default: return own;
        }
    }

    private static Subjects named(String strategy) {
        switch (strategy) {
            case "RecordNameStrategy": return RECORD;
            case "TopicRecordNameStrategy": return TOPIC_RECORD;
            default: return TOPIC;
        }
    }
}
