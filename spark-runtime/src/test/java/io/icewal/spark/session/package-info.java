@org.jspecify.annotations.NullMarked
package io.icewal.spark.session;
