package sluice.formats;

import java.lang.reflect.InvocationTargetException;
import sluice.values.Settings;

/** Decoders and encoders, by the names of their classes; which format has which is declared in Python. */
public final class Codecs {
    private Codecs() {}

    /**
     * One made by its constructor for columns and settings.
     *
     * @param name of the class, without the package {@code sluice}
     * @param columns {@code [{"column": name, "type": {…}}, …]}
     * @param settings {@code {"name": value, …}}
     */
    public static Object of(String name, String columns, String settings) {
        try {
            return Class.forName("sluice." + name).getConstructor(String.class, Settings.class)
                .newInstance(columns, new Settings(settings));
        } catch (InvocationTargetException failed) {
            if (failed.getCause() instanceof RuntimeException) throw (RuntimeException) failed.getCause();
            throw new IllegalStateException(failed.getCause());
        } catch (ReflectiveOperationException missing) {
            throw new IllegalArgumentException("no decoder or encoder sluice." + name, missing);
        }
    }
}
