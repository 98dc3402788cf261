package io.icewal.storage;

/// The kinds of requests to an [ObjectStore].
public enum StoreOp {
  PUT_IF_ABSENT,
  PUT,
  GET,
  HEAD,
  LIST,
  DELETE
}
