package sluice.errors;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * An error that has a name in {@code sluice/errors/conditions.toml}, with its parameters.
 *
 * <p>Its message is one line that {@code sluice/errors/raised.py} reads: the mark and a JSON object of the
 * condition and the parameters. Of a failure in a task nothing but text reaches the driver, and of one in
 * a streaming query nothing but text reaches Python.
 */
public final class ConditionException extends RuntimeException {
    /** Prefixes of the message, the same as in {@code raised.py}: of Sluice errors, of users' expressions. */
    private static final String JAVA = "SLUICE_CONDITION", EXPRESSION = "SLUICE_RAISED";

    private final String condition;
    private final String told;

    public ConditionException(String condition, Map<String, ?> params) {
        this(condition, params, null);
    }

    public ConditionException(String condition, Map<String, ?> params, Throwable cause) {
        this(JAVA, condition, params, cause);
    }

    private ConditionException(String prefix, String condition, Map<String, ?> params, Throwable cause) {
        super(prefix + json(condition, params), cause);
        this.condition = condition;
        this.told = String.valueOf(params.containsKey("problem") ? params.get("problem") : params.get("reason"));
    }

    /** An error that the values of a user's expression cause: a batch that has them is retried. */
    public static ConditionException ofExpression(String condition, Map<String, ?> params) {
        return new ConditionException(EXPRESSION, condition, params, null);
    }

    /** The condition's name. */
    public String condition() {
        return condition;
    }

    /** What it tells a user: the parameters, without the condition's own words. */
    public String told() {
        return told;
    }

    private static String json(String condition, Map<String, ?> params) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("condition", condition);
        line.putAll(new TreeMap<>(params));
        try {
            return new ObjectMapper().writeValueAsString(line);
        } catch (JsonProcessingException impossible) {
            throw new IllegalArgumentException(impossible);
        }
    }
}
