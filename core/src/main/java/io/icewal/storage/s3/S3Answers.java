package io.icewal.storage.s3;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.storage.PutOutcome;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkException;

/// What an answer of S3 means to a caller of the store.
///
/// | answer to a conditional put | outcome | why |
/// |---|---|---|
/// | 200 | created | |
/// | 412 | exists | the condition was looked at and failed |
/// | 409 | unknown | a conflict with another request; on some servers it is the loser's answer |
/// | 403, other 4xx | unknown | refused, and perhaps after an earlier attempt that is still under way |
/// | 5xx | unknown | may have been applied |
/// | time-out, reset, no answer | unknown | may have been applied, or may be later |
///
/// For everything else: 404 is an empty answer, any other failure is UNAVAILABLE once the SDK's
/// retries are used up.
final class S3Answers {
  private S3Answers() {}

  static PutOutcome toConditionalPut(SdkException failure, String place) {
    if (statusOf(failure) == 412) {
      return PutOutcome.EXISTS;
    }
    return new PutOutcome.Unknown(unavailable("put", place, failure));
  }

  static boolean isAbsent(SdkException failure) {
    return statusOf(failure) == 404 && !isNoSuchBucket(failure);
  }

  /// The object has no byte in the range that was asked for.
  static boolean isRangeBeyondEnd(SdkException failure) {
    return statusOf(failure) == 416;
  }

  static IcewalException unavailable(String operation, String place, SdkException failure) {
    return new IcewalException(
        ErrorKind.UNAVAILABLE,
        "cannot " + operation + " " + place + ": " + failure.getMessage() + hint(failure),
        failure);
  }

  private static String hint(SdkException failure) {
    if (isNoSuchBucket(failure)) {
      return "; the bucket does not exist";
    }
    return statusOf(failure) == 403
        ? "; the role needs to get, put, delete and list (without the right to list, a missing"
            + " object answers 403, too)"
        : "";
  }

  private static boolean isNoSuchBucket(SdkException failure) {
    return failure instanceof AwsServiceException service
        && service.awsErrorDetails() != null
        && "NoSuchBucket".equals(service.awsErrorDetails().errorCode());
  }

  private static int statusOf(SdkException failure) {
    return failure instanceof AwsServiceException service ? service.statusCode() : 0;
  }
}
