package sluice.registry;

import java.io.IOException;
import java.net.SocketException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.apache.http.ssl.SSLContexts;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory;

/** Whom connections to registries trust, and the certificate that they show: the operator's, from PEM files. */
final class ClientTls {
    /** The files, URL-encoded, with commas between: the certificate, its key, the authorities; each may be empty. */
    static final String FILES = "sluice.client_tls";

    private static final Pattern ALERT = Pattern.compile("alert: .*(certificate|unknown_ca|access_denied|handshake_failure)");

    private ClientTls() {}

    /** What the operator has configured; without it the authorities of this Java, and no certificate. */
    static SSLContext context() {
        String files = System.getProperty(FILES);
        return files == null ? SSLContexts.createSystemDefault() : of(files);
    }

    static SSLContext of(String files) {
        String[] given = files.split(",", -1);
        Map<String, Object> configured = new HashMap<>();
        configured.put(SslConfigs.SSL_PROTOCOL_CONFIG, "TLS");
        if (!given[0].isEmpty()) {
            configured.put(SslConfigs.SSL_KEYSTORE_TYPE_CONFIG, "PEM");
            configured.put(SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG, text(given[0]));
            configured.put(SslConfigs.SSL_KEYSTORE_KEY_CONFIG, text(given[1].isEmpty() ? given[0] : given[1]));
        }
        if (!given[2].isEmpty()) {
            configured.put(SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG, "PEM");
            configured.put(SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG, text(given[2]));
        }
        try (DefaultSslEngineFactory made = new DefaultSslEngineFactory()) {
            made.configure(configured);
            return made.sslContext();
        }
    }

    /** Why a connection by TLS failed, with what the operator has to look at. */
    static String words(IOException bad) {
        for (Throwable each = bad; each != null; each = each.getCause()) {
            if (each instanceof GeneralSecurityException || each instanceof SSLPeerUnverifiedException) {
                return "its certificate is not trusted (" + each.getMessage() + "); <caConfig> of <openSSL><client> names the authorities";
            }
        }
        String said = bad.getMessage();
        boolean refused = bad instanceof SSLException && said != null && ALERT.matcher(said).find();
        if (refused || bad.getClass() == SocketException.class) { // it may close before its alert is read
            return "it " + (refused ? "does not accept" : "may not accept") + " the client's certificate (" + said
                + "); <certificateFile> and <privateKeyFile> of <openSSL><client> name it";
        }
        return said;
    }

    private static Password text(String encoded) {
        String path = URLDecoder.decode(encoded, StandardCharsets.UTF_8);
        try {
            return new Password(Files.readString(Path.of(path), StandardCharsets.ISO_8859_1));
        } catch (IOException bad) {
            throw new IllegalStateException("cannot read " + path + ", a file of <openSSL><client>", bad);
        }
    }
}
