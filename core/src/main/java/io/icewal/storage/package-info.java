/// Object storage as the log needs it: whole objects, put-if-absent, ranged reads, ordered lists.
///
/// Bytes flow in and out; nothing here knows what they mean. An object name, once used for a put if
/// absent, never changes its bytes.
@NullMarked
package io.icewal.storage;

import org.jspecify.annotations.NullMarked;
