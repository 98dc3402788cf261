package io.icewal.storage;

/// The part of an object that a read asks for.
public sealed interface ByteRange {
  ByteRange ALL = new All();

  /// Where this part of an object of the given size begins: from 0 to the size.
  long from(long size);

  /// Where this part of an object of the given size ends: the first byte after it.
  long to(long size);

  /// The whole object.
  record All() implements ByteRange {
    @Override
    public long from(long size) {
      return 0;
    }

    @Override
    public long to(long size) {
      return size;
    }
  }

  /// `length` bytes from `offset`; less if the object ends before.
  record Slice(long offset, int length) implements ByteRange {
    public Slice {
      if (offset < 0 || length < 1) {
        throw new IllegalArgumentException("bad range: offset " + offset + " length " + length);
      }
    }

    @Override
    public long from(long size) {
      return Math.min(size, offset);
    }

    @Override
    public long to(long size) {
      return from(size) + Math.min(length, size - from(size));
    }
  }

  /// The last `length` bytes; the whole object if it is shorter.
  record Suffix(int length) implements ByteRange {
    public Suffix {
      if (length < 1) {
        throw new IllegalArgumentException("bad suffix length " + length);
      }
    }

    @Override
    public long from(long size) {
      return Math.max(0, size - length);
    }

    @Override
    public long to(long size) {
      return size;
    }
  }
}
