package io.icewal.flight;

import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightRuntimeException;

/// Tells icewal's own commands and tickets, which are JSON, from Flight SQL's, which are Protobuf.
final class Commands {
  private Commands() {}

  /// Whether a command or ticket is meant as JSON. No Protobuf message begins with a brace or white
  /// space and is of Flight SQL at the same time: those begin with the tag of `Any.type_url`.
  static boolean isJson(byte[] command) {
    for (byte next : command) {
      if (next == '{') {
        return true;
      }
      if (next != ' ' && next != '\n' && next != '\r' && next != '\t') {
        return false;
      }
    }
    return false;
  }

  static FlightRuntimeException unimplemented(String what) {
    return CallStatus.UNIMPLEMENTED
        .withDescription(
            what + " is not implemented; icewal's own commands are JSON, see docs/flight.md")
        .toRuntimeException();
  }
}
