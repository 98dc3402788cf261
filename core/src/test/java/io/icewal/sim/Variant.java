package io.icewal.sim;

/// The product, or the product without one of its defences: a run of the latter must fail for some
/// seed, else the simulator could not have shown that the defence works.
public enum Variant {
  /// The product as it is.
  NONE
}
