package sluice.registry;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.values.Settings;

/** The names of subjects, in each dialect. */
class SubjectsTest {
    private static final String TOLD = ",'subject':'t-value','subject.topic':'t'}";
    private static final String OWN = "{'output_format_avro_confluent_subject':'%s','output_format_avro_confluent_subject_name_strategy':'%s'" + TOLD;

    @ParameterizedTest
    @CsvSource({"'', TopicNameStrategy, t-value", "'', RecordNameStrategy, a.row", "'', TopicRecordNameStrategy, t-a.row",
        "mine, RecordNameStrategy, mine"})
    void clickHouses(String own, String strategy, String subject) {
        assertEquals(subject, Subjects.of(settings(OWN.formatted(own, strategy)), "a.row"));
    }

    @ParameterizedTest
    @CsvSource({"TopicNameStrategy, t-value", "RecordNameStrategy, a.row", "TopicRecordNameStrategy, t-a.row"})
    void flinks(String strategy, String subject) {
        assertEquals(subject, Subjects.of(settings("{'subject.name.strategy':'" + strategy + '\'' + TOLD), "a.row"));
        assertEquals("mine", Subjects.of(settings("{'subject.name.strategy':'" + strategy + "','subject':'mine'}"), "a.row"));
        assertEquals("t-value", Subjects.of(settings("{'x':0" + TOLD), "a.row"));
    }

    private static Settings settings(String json) {
        return new Settings(json.replace('\'', '"'));
    }
}
