package io.icewal.table;

import java.nio.file.Path;
import org.apache.arrow.memory.BufferAllocator;

/// What adoptions work with.
///
/// @param allocator for the key columns of one batch at a time
/// @param spillFolder where sorted keys go that do not fit into memory
/// @param keyBytesMax bytes of keys in memory; a look at a table takes about five times as much
record AdoptionServices(BufferAllocator allocator, Path spillFolder, long keyBytesMax) {}
