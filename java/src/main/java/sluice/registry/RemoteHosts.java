package sluice.registry;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Which hosts a URL in a statement may lead to: those that the operator lists or, without a list, those with public
 * addresses. Addresses are checked when a connection is opened, because a name may resolve to another one by then.
 */
public final class RemoteHosts {
    /** Absent without a list; else `=HOST`, `=HOST:PORT` and `~PATTERN`, each URL-encoded, with commas between. */
    static final String LIST = "sluice.remote_url_allow_hosts";

    private RemoteHosts() {}

    /** A host that must not be connected to. */
    static final class Refused extends UnknownHostException {
        Refused(String message) {
            super(message);
        }
    }

    static boolean isListed(URI url) {
        return isListed(System.getProperty(LIST), url.getHost(), url.getPort());
    }

    /** Whether the list allows a host, on this port (-1 is the scheme's own). */
    public static boolean isListed(String list, String host, int port) {
        if (list == null || host == null) return false;
        String name = bare(host);
        String full = name + ":" + port;
        for (String entry : list.split(",")) {
            if (entry.isEmpty()) continue;
            String wanted = URLDecoder.decode(entry.substring(1), StandardCharsets.UTF_8);
            boolean exact = entry.charAt(0) == '=';
            if (exact ? wanted.equals(name) || wanted.equals(full)
                : Pattern.matches(wanted, name) || Pattern.matches(wanted, full)) return true;
        }
        return false;
    }

    /** Refuse a URL by its name; its addresses are checked by `resolve`. */
    static void check(URI url) throws Refused {
        if (System.getProperty(LIST) != null && !isListed(url)) {
            throw new Refused("the operator's list of hosts does not have it");
        }
    }

    /** The addresses of a host that may be connected to; `listed` ones need not be public. */
    public static InetAddress[] resolve(String host, boolean listed) throws UnknownHostException {
        InetAddress[] found = InetAddress.getAllByName(host);
        for (InetAddress address : found) {
            if (!listed && !isPublic(address)) {
                throw new Refused("its address is private, and the operator's list of hosts does not have it");
            }
        }
        return found;
    }

    /** Whether an address is one of the Internet's, and not of this machine. */
    public static boolean isPublic(InetAddress address) {
        if (address.isAnyLocalAddress() || address.isLoopbackAddress() || address.isLinkLocalAddress()
            || address.isSiteLocalAddress() || address.isMulticastAddress()) return false;
        byte[] bytes = address.getAddress();
        int first = bytes[0] & 0xff;
        int second = bytes[1] & 0xff;
        if (address instanceof Inet4Address) {
            if (first == 0 || first >= 240) return false;
            if (first == 100 && second >= 64 && second < 128) return false; // carriers' NAT
            if (first == 192 && second == 0 && bytes[2] == 0) return false;
            if (first == 198 && (second & 0xfe) == 18) return false; // benchmarks
        } else if (address instanceof Inet6Address) {
            // Only 2000::/3 is the Internet's. 6to4 and Teredo carry an IPv4 address inside.
            if ((first & 0xe0) != 0x20) return false;
            if (first == 0x20 && (second == 0x02 || second == 0x01 && bytes[2] == 0 && bytes[3] == 0)) return false;
        }
        try {
            return NetworkInterface.getByInetAddress(address) == null;
        } catch (SocketException unknown) {
            return false;
        }
    }

    private static String bare(String host) {
        String name = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        return name.toLowerCase(Locale.ROOT);
    }
}
