package sluice.registry;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.http.client.config.RequestConfig;
import org.apache.http.client.methods.CloseableHttpResponse;
import org.apache.http.client.methods.HttpGet;
import org.apache.http.client.methods.HttpPost;
import org.apache.http.client.methods.HttpRequestBase;
import org.apache.http.config.RegistryBuilder;
import org.apache.http.conn.socket.ConnectionSocketFactory;
import org.apache.http.conn.socket.PlainConnectionSocketFactory;
import org.apache.http.conn.ssl.SSLConnectionSocketFactory;
import org.apache.http.entity.ContentType;
import org.apache.http.entity.StringEntity;
import org.apache.http.impl.client.CloseableHttpClient;
import org.apache.http.impl.client.HttpClients;
import org.apache.http.impl.conn.PoolingHttpClientConnectionManager;

/** Requests over HTTP that connect to checked addresses alone and follow nobody elsewhere. */
final class Transport {
    private static final int LARGEST = 4 << 20; // bytes of an answer
    private static final int CONNECTIONS = 16, KEPT_S = 30, IDLE_MS = 100;
    private static final String MEDIA = "application/vnd.schemaregistry.v1+json";
    private static final ScheduledExecutorService TIMER = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "sluice-registry-limit");
        thread.setDaemon(true);
        return thread;
    });
    /** For hosts that the operator lists, which need not have public addresses, and for others. */
    private static final CloseableHttpClient LISTED = client(true), PUBLIC = client(false);

    /** A status and what came with it. */
    record Answer(int status, String said) {}

    private Transport() {}

    private static CloseableHttpClient client(boolean listed) {
        ConnectionSocketFactory tls = new SSLConnectionSocketFactory(ClientTls.context(),
            SSLConnectionSocketFactory.getDefaultHostnameVerifier());
        var schemes = RegistryBuilder.<ConnectionSocketFactory>create()
            .register("http", PlainConnectionSocketFactory.INSTANCE).register("https", tls).build();
        var pool = new PoolingHttpClientConnectionManager(schemes, null, null,
            host -> RemoteHosts.resolve(host, listed), KEPT_S, TimeUnit.SECONDS);
        pool.setMaxTotal(CONNECTIONS);
        pool.setDefaultMaxPerRoute(CONNECTIONS);
        pool.setValidateAfterInactivity(IDLE_MS);
        return HttpClients.custom().setConnectionManager(pool).disableRedirectHandling().disableAutomaticRetries()
            .disableCookieManagement().disableAuthCaching().build();
    }

    /**
     * What is answered to a GET, or to a POST if there is a body.
     *
     * @throws RemoteHosts.Refused if the host must not be connected to
     */
    static Answer ask(RegistryOptions options, RegistryOptions.Place place, String path, String body)
            throws IOException {
        URI url = URI.create(place.url() + path);
        RemoteHosts.check(url);
        HttpRequestBase request = body == null ? new HttpGet(url) : new HttpPost(url);
        request.setHeader("Accept", MEDIA + ", application/json");
        if (place.login() != null) request.setHeader("Authorization", place.login());
        if (request instanceof HttpPost post) {
            post.setEntity(new StringEntity(body, ContentType.create(MEDIA, StandardCharsets.UTF_8)));
        }
        request.setConfig(RequestConfig.custom().setConnectTimeout(options.connectMs())
            .setConnectionRequestTimeout(options.answerMs()).setSocketTimeout(options.answerMs())
            .setRedirectsEnabled(false).setAuthenticationEnabled(false).build());
        int patience = options.connectMs() + options.answerMs();
        ScheduledFuture<?> limit = TIMER.schedule(request::abort, patience, TimeUnit.MILLISECONDS);
        try (CloseableHttpResponse answer = (RemoteHosts.isListed(url) ? LISTED : PUBLIC).execute(request)) {
            InputStream in = answer.getEntity() == null ? InputStream.nullInputStream() : answer.getEntity().getContent();
            byte[] said = in.readNBytes(LARGEST + 1);
            if (said.length > LARGEST) {
                request.abort(); // what else it sends is not read
                throw new IOException("its answer has more than " + LARGEST + " bytes");
            }
            return new Answer(answer.getStatusLine().getStatusCode(), new String(said, StandardCharsets.UTF_8));
        } catch (RemoteHosts.Refused refused) {
            throw refused;
        } catch (IOException bad) {
            if (!request.isAborted() || limit.getDelay(TimeUnit.MILLISECONDS) > 0) throw bad;
            throw new IOException("it does not answer in time", bad);
        } finally {
            limit.cancel(false);
        }
    }
}
