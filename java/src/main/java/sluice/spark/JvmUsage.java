package sluice.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Memory, threads and garbage collections of this JVM, in one call: each one costs a round trip. */
public final class JvmUsage {
    private JvmUsage() {}

    /** The usage as JSON: {@code memory} by area, {@code buffers} by pool, {@code gc} by collector, {@code threads}. */
    public static String read() throws JsonProcessingException {
        var memory = ManagementFactory.getMemoryMXBean();
        Map<String, Object> buffers = new LinkedHashMap<>();
        for (BufferPoolMXBean each : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            buffers.put(each.getName(), each.getMemoryUsed());
        }
        Map<String, Object> collectors = new LinkedHashMap<>();
        for (GarbageCollectorMXBean each : ManagementFactory.getGarbageCollectorMXBeans()) {
            collectors.put(each.getName(), List.of(each.getCollectionCount(), each.getCollectionTime() / 1000.0));
        }
        return new ObjectMapper().writeValueAsString(Map.of(
                "memory", Map.of("heap", of(memory.getHeapMemoryUsage()), "nonheap", of(memory.getNonHeapMemoryUsage())),
                "buffers", buffers,
                "gc", collectors,
                "threads", ManagementFactory.getThreadMXBean().getThreadCount()));
    }

    private static Map<String, Long> of(MemoryUsage usage) {
        return Map.of("used", usage.getUsed(), "committed", usage.getCommitted(), "max", usage.getMax());
    }
}
