/// What all parts of the connector share on one node: the warehouse's log, trino-iceberg's own
/// services, and errors as Trino knows them.
@NullMarked
package io.icewal.trino.services;

import org.jspecify.annotations.NullMarked;
