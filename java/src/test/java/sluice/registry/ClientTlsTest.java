package sluice.registry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections by the operator's files; the server asks for a certificate. */
class ClientTlsTest {
    private static final char[] PASSWORD = "secret".toCharArray();

    @TempDir
    Path folder;
    private HttpsServer server;
    private Path certificate;
    private Path key;

    @BeforeEach
    void start() throws Exception {
        Path store = folder.resolve("own.p12");
        String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        Process made = new ProcessBuilder(keytool, "-genkeypair", "-alias", "own", "-keyalg", "EC", "-dname", "CN=own",
            "-ext", "SAN=IP:127.0.0.1", "-validity", "2", "-storetype", "PKCS12", "-keystore", store.toString(),
            "-storepass", new String(PASSWORD)).redirectErrorStream(true).start();
        String said = new String(made.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, made.waitFor(), said);
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD);
        }
        certificate = pem("a certificate.pem", "CERTIFICATE", keys.getCertificate("own").getEncoded());
        key = pem("key.pem", "PRIVATE KEY", keys.getKey("own", PASSWORD).getEncoded());
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, PASSWORD);
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("own", keys.getCertificate("own"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), trust.getTrustManagers(), null);
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context) {
            @Override
            public void configure(HttpsParameters parameters) {
                var asked = context.getDefaultSSLParameters();
                asked.setNeedClientAuth(true);
                parameters.setSSLParameters(asked);
            }
        });
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private Path pem(String name, String title, byte[] bytes) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return Files.writeString(folder.resolve(name), "-----BEGIN " + title + "-----\n" + text + "\n-----END " + title + "-----\n");
    }

    private int status(String files) throws IOException {
        URI url = URI.create("https://127.0.0.1:" + server.getAddress().getPort());
        var connection = (HttpsURLConnection) url.toURL().openConnection();
        connection.setSSLSocketFactory(ClientTls.of(files).getSocketFactory());
        return connection.getResponseCode();
    }

    private static String encoded(Path path) {
        return path.toString().replace(" ", "%20");
    }

    @Test
    void bothSidesShowWhoTheyAre() throws IOException {
        String own = encoded(certificate);
        assertEquals(204, status(own + "," + encoded(key) + "," + own));
        assertThrows(IOException.class, () -> status(",," + own)); // shows none
        assertThrows(IOException.class, () -> status(own + "," + encoded(key) + ",")); // does not trust the server
    }

    @Test
    void aFileThatIsNotThere() {
        var missing = assertThrows(IllegalStateException.class, () -> ClientTls.of("/no/where.pem,,"));
        assertTrue(missing.getMessage().contains("/no/where.pem"));
    }
}
