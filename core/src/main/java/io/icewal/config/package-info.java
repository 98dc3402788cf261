/// The one small configuration that all processes of a warehouse share: which Iceberg catalog,
/// which log root, and the few settings of the services.
///
/// A properties file or a folder flows in; an immutable [IcewalConfig] flows out, and from it an
/// open catalog and an open log store. A key that nobody reads stops the start.
@NullMarked
package io.icewal.config;

import org.jspecify.annotations.NullMarked;
