package sluice.registry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which hosts URLs may lead to. */
class RemoteHostsTest {
    @ParameterizedTest
    @CsvSource({"8.8.8.8, true", "127.0.0.1, false", "10.1.2.3, false", "169.254.169.254, false",
        "100.64.0.1, false", "192.168.0.1, false", "0.0.0.0, false", "224.0.0.1, false", "::1, false",
        "2606:4700::1111, true", "fd00::1, false", "2002:7f00:1::, false"})
    void publicAddresses(String address, boolean wanted) throws IOException {
        assertEquals(wanted, RemoteHosts.isPublic(InetAddress.getByName(address)));
    }

    @Test
    void listsOfHosts() {
        assertTrue(RemoteHosts.isListed("=a.example", "A.example", 80));
        assertTrue(RemoteHosts.isListed("=a.example%3A81", "a.example", 81));
        assertFalse(RemoteHosts.isListed("=a.example%3A81", "a.example", 80));
        assertTrue(RemoteHosts.isListed("=x,~.*%5C.example", "b.example", -1));
        assertFalse(RemoteHosts.isListed(null, "a.example", 80));
    }
}
