/// Tests of writes.
package io.icewal.spark.write;
