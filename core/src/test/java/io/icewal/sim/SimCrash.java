package io.icewal.sim;

/// An actor's process dies here. An [Error], so that no code under test mistakes it for a fault it
/// may handle; while an actor is dying, each further call of its answers with another one, so that
/// clean-up code has no effect either.
final class SimCrash extends Error {
  private static final long serialVersionUID = 1L;

  SimCrash(String where) {
    super(where, null, false, false);
  }
}
