/// What all parts of the connector share in one JVM, driver or executor: the warehouse's log.
@NullMarked
package io.icewal.spark.services;

import org.jspecify.annotations.NullMarked;
