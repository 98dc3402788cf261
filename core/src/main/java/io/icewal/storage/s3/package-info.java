/// [io.icewal.storage.ObjectStore] over S3 and what speaks its protocol.
///
/// Iceberg's own property names (`s3.endpoint`, `client.region`, …) flow in; objects flow in and
/// out. The answers to a conditional put are told apart here and nowhere else: see [S3Answers].
@NullMarked
package io.icewal.storage.s3;

import org.jspecify.annotations.NullMarked;
