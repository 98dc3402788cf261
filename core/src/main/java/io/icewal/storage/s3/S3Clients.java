package io.icewal.storage.s3;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.aws.AwsClientProperties;
import org.apache.iceberg.aws.HttpClientProperties;
import org.apache.iceberg.aws.s3.S3FileIOProperties;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.retries.api.RetryStrategy;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/// The two S3 clients of a store. Conditional puts go through one that never repeats a request: a
/// repeat would meet its own object and call it another's. Everything else goes through one with
/// the SDK's standard retries.
///
/// Region, endpoint, credentials and HTTP settings are Iceberg's own properties, applied by
/// Iceberg's own code, so that log and tables reach the same place in the same way.
final class S3Clients implements AutoCloseable {
  /// Iceberg's property for the time that a silent connection is waited for.
  private static final String SOCKET_TIMEOUT = "http-client.apache.socket-timeout-ms";

  private static final String REMOTE_SIGNING = "s3.remote-signing-enabled";

  /// A try that takes longer counts as unknown (puts) or is repeated (the rest). A segment of 8 MiB
  /// takes well below a second; staged blocks are larger, and slow lines exist.
  private static final Duration ATTEMPT_TIMEOUT = Duration.ofSeconds(60);

  private static final Duration SOCKET_TIMEOUT_STANDARD = Duration.ofSeconds(20);

  private final S3Client conditional;
  private final S3Client retrying;

  private S3Clients(S3Client conditional, S3Client retrying) {
    this.conditional = conditional;
    this.retrying = retrying;
  }

  static S3Clients create(Map<String, String> icebergProperties) {
    Map<String, String> properties = new HashMap<>(icebergProperties);
    properties.remove(REMOTE_SIGNING); // Signs for tables only; the log signs with credentials.
    properties.putIfAbsent(SOCKET_TIMEOUT, Long.toString(SOCKET_TIMEOUT_STANDARD.toMillis()));
    S3Client conditional = client(properties, AwsRetryStrategy.doNotRetry());
    try {
      return new S3Clients(
          conditional, client(properties, AwsRetryStrategy.standardRetryStrategy()));
    } catch (RuntimeException | Error e) {
      conditional.close();
      throw e;
    }
  }

  S3Client conditional() {
    return conditional;
  }

  S3Client retrying() {
    return retrying;
  }

  @Override
  public void close() {
    try (conditional) {
      retrying.close();
    }
  }

  private static S3Client client(Map<String, String> properties, RetryStrategy retries) {
    AwsClientProperties aws = new AwsClientProperties(properties);
    S3FileIOProperties s3 = new S3FileIOProperties(properties);
    S3ClientBuilder builder = S3Client.builder();
    aws.applyClientRegionConfiguration(builder);
    new HttpClientProperties(properties).applyHttpClientConfigurations(builder);
    s3.applyEndpointConfigurations(builder);
    s3.applyServiceConfigurations(builder);
    s3.applyCredentialConfigurations(aws, builder);
    // Puts carry a CRC32C of their own, which every server either checks or passes over; the SDK's
    // default, a checksum after the body, is not understood everywhere.
    builder.requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED);
    builder.responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED);
    builder.overrideConfiguration(
        ClientOverrideConfiguration.builder()
            .retryStrategy(retries)
            .apiCallAttemptTimeout(ATTEMPT_TIMEOUT)
            .build());
    return builder.build();
  }
}
