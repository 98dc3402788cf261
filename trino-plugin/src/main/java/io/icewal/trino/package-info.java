/// The Trino connector `icewal`: trino-iceberg's connector, wrapped.
///
/// In: a catalog file ([io.icewal.trino.CatalogSettings]). Out: Trino's Connector. Everything that
/// is not overridden here is trino-iceberg's own: its handles and columns are used as they are, so
/// that it can be asked about each of them.
///
/// - A table is icewal's if it has a valid position. All others behave as in trino-iceberg.
/// - A transaction reads one cut of each table, chosen when the table is first named in it.
@NullMarked
package io.icewal.trino;

import org.jspecify.annotations.NullMarked;
