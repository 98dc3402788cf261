package io.icewal.protocol;

import io.grpc.Metadata;
import io.grpc.Status;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.util.List;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.ErrorFlightMetadata;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.jspecify.annotations.Nullable;

/// Errors on their way over the wire and back: [IcewalException] ↔ gRPC status with [ErrorBody].
public final class Errors {
  /// What a client is asked to wait before it tries again, where nothing better is known.
  public static final long RETRY_AFTER_MILLIS = 500;

  private static final int DESCRIPTION_BYTES_MAX = 500;

  private static final Metadata.Key<byte[]> TRAILER =
      Metadata.Key.of(ErrorBody.TRAILER, Metadata.BINARY_BYTE_MARSHALLER);

  private Errors() {}

  /// The JSON body of an error.
  public static ErrorBody body(IcewalException error) {
    boolean later = error.kind() == ErrorKind.UNAVAILABLE || error.kind() == ErrorKind.UNKNOWN;
    return new ErrorBody(
        error.kind(),
        String.valueOf(error.getMessage()),
        later ? RETRY_AFTER_MILLIS : 0,
        error.verdicts());
  }

  /// The error as Arrow's server code takes it.
  public static FlightRuntimeException toFlight(ErrorBody body, @Nullable Throwable cause) {
    ErrorFlightMetadata trailers = new ErrorFlightMetadata();
    trailers.insert(ErrorBody.TRAILER, body.toJson());
    return new CallStatus(code(body, cause), cause, description(body), trailers)
        .toRuntimeException();
  }

  public static FlightRuntimeException toFlight(IcewalException error) {
    return toFlight(body(error), error);
  }

  /// The status of a call that ends with this error; [#trailers] goes with it.
  public static Status toGrpc(ErrorBody body, @Nullable Throwable cause) {
    Status.Code code =
        switch (code(body, cause)) {
          case INVALID_ARGUMENT -> Status.Code.INVALID_ARGUMENT;
          case NOT_FOUND -> Status.Code.NOT_FOUND;
          case ALREADY_EXISTS -> Status.Code.ALREADY_EXISTS;
          case UNAVAILABLE -> Status.Code.UNAVAILABLE;
          case UNKNOWN -> Status.Code.UNKNOWN;
          default -> Status.Code.INTERNAL;
        };
    return code.toStatus().withDescription(description(body));
  }

  /// A status travels with three characters for each byte beyond ASCII, and must fit into 8 KiB
  /// together with the JSON.
  private static String description(ErrorBody body) {
    return Texts.cut(body.message(), DESCRIPTION_BYTES_MAX);
  }

  public static Metadata trailers(ErrorBody body) {
    Metadata trailers = new Metadata();
    trailers.put(TRAILER, body.toJson());
    return trailers;
  }

  private static FlightStatusCode code(ErrorBody body, @Nullable Throwable cause) {
    return switch (body.kind()) {
      case INVALID -> invalidCode(cause);
      case UNAVAILABLE, CONFLICT -> FlightStatusCode.UNAVAILABLE;
      case UNKNOWN -> FlightStatusCode.UNKNOWN;
      case CORRUPT, INTERNAL -> FlightStatusCode.INTERNAL;
    };
  }

  private static FlightStatusCode invalidCode(@Nullable Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof NoSuchTableException || cause instanceof NoSuchNamespaceException) {
        return FlightStatusCode.NOT_FOUND;
      }
      if (cause instanceof AlreadyExistsException) {
        return FlightStatusCode.ALREADY_EXISTS;
      }
    }
    return FlightStatusCode.INVALID_ARGUMENT;
  }

  /// What a failed call says, as a client sees it.
  public static ErrorBody received(Status status, @Nullable Metadata trailers) {
    byte[] json = trailers == null ? null : trailers.get(TRAILER);
    ErrorBody body = json == null ? null : ErrorBody.parse(json);
    return body != null ? body : ofCode(status.getCode(), String.valueOf(status.getDescription()));
  }

  /// What a failed call says, as a client sees it.
  public static IcewalException received(FlightRuntimeException error) {
    CallStatus status = error.status();
    boolean detailed =
        status.metadata() != null && status.metadata().containsKey(ErrorBody.TRAILER);
    ErrorBody body =
        detailed ? ErrorBody.parse(status.metadata().getByte(ErrorBody.TRAILER)) : null;
    if (body == null) {
      body = ofCode(grpcCode(status.code()), status.description());
    }
    if (body.kind() != ErrorKind.INVALID || body.verdicts().isEmpty()) {
      return new IcewalException(body.kind(), body.message(), error);
    }
    IcewalException refused = new IcewalException(body.message(), body.verdicts());
    refused.initCause(error);
    return refused;
  }

  private static Status.Code grpcCode(FlightStatusCode code) {
    return switch (code) {
      case UNAVAILABLE -> Status.Code.UNAVAILABLE;
      case CANCELLED -> Status.Code.CANCELLED;
      case TIMED_OUT -> Status.Code.DEADLINE_EXCEEDED;
      case UNKNOWN -> Status.Code.UNKNOWN;
      case INTERNAL -> Status.Code.INTERNAL;
      default -> Status.Code.INVALID_ARGUMENT;
    };
  }

  /// An error without icewal's body comes from gRPC or the network. Unless it says that the request
  /// is wrong or was not taken, nobody knows how far it came.
  private static ErrorBody ofCode(Status.Code code, String description) {
    ErrorKind kind =
        switch (code) {
          case UNAVAILABLE -> ErrorKind.UNAVAILABLE;
          case UNKNOWN, CANCELLED, DEADLINE_EXCEEDED, INTERNAL, ABORTED, DATA_LOSS ->
              ErrorKind.UNKNOWN;
          default -> ErrorKind.INVALID;
        };
    return new ErrorBody(kind, code + ": " + description, 0, List.of());
  }
}
