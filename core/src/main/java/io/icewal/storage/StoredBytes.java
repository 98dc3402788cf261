package io.icewal.storage;

/// Bytes read from an object.
///
/// @param bytes what was asked for; the receiver owns it
/// @param offset where in the object these bytes begin
/// @param meta the whole object's size and age
public record StoredBytes(byte[] bytes, long offset, ObjectMeta meta) {}
