package io.icewal.storage;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/// A flat store of immutable objects with strongly consistent reads and lists, and an atomic
/// put-if-absent. The log needs no more than this: no conditional overwrite, no rename, no append.
///
/// Implementations: [MemoryObjectStore], `LocalObjectStore`, `s3.S3ObjectStore`; each passes the
/// same contract suite. Thread-safe.
///
/// Keys are `/`-separated, relative to the store's root, of the characters `[A-Za-z0-9._/-]`,
/// without empty, `.` or `..` segments, at most 512 characters.
///
/// Every method but [#putIfAbsent] fails with `IcewalException` of kind UNAVAILABLE when the store
/// cannot be asked or refuses (its retries, if any, are used up by then).
public interface ObjectStore extends AutoCloseable {
  /// Stores an object if no object of this key exists, in one attempt, never retried inside.
  ///
  /// A lost answer, a time-out, a refusal (403) or an error of the store is [PutOutcome.Unknown]:
  /// the object may be there, or may come to be there later, while this method has long returned.
  ///
  /// @param parts the object's bytes, one after the other; not changed and not kept
  PutOutcome putIfAbsent(String key, List<byte[]> parts);

  /// Stores an object, whether or not one of this key exists.
  void put(String key, byte[] bytes);

  /// Reads an object or a part of it.
  ///
  /// @return empty if there is no such object
  Optional<StoredBytes> get(String key, ByteRange range);

  /// Size and age of an object.
  ///
  /// @return empty if there is no such object
  Optional<ObjectMeta> head(String key);

  /// Objects whose key starts with the prefix and comes after `startAfter` in the order of their
  /// UTF-8 bytes, in that order.
  ///
  /// @param startAfter a full key, which need not exist, or the empty string
  /// @param max at most so many are returned, from 1
  List<ObjectMeta> list(String prefix, String startAfter, int max);

  /// Deletes objects; those that do not exist are passed over.
  void delete(Collection<String> keys);

  /// For messages: where the root of this store is, such as `s3://bucket/path`.
  String describe();

  @Override
  void close();
}
