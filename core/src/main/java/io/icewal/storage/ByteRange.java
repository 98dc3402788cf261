package io.icewal.storage;

/// The part of an object that a read asks for.
public sealed interface ByteRange {
  ByteRange ALL = new All();

  /// The whole object.
  record All() implements ByteRange {}

  /// `length` bytes from `offset`; less if the object ends before.
  record Slice(long offset, int length) implements ByteRange {
    public Slice {
      if (offset < 0 || length < 1) {
        throw new IllegalArgumentException("bad range: offset " + offset + " length " + length);
      }
    }
  }

  /// The last `length` bytes; the whole object if it is shorter.
  record Suffix(int length) implements ByteRange {
    public Suffix {
      if (length < 1) {
        throw new IllegalArgumentException("bad suffix length " + length);
      }
    }
  }
}
