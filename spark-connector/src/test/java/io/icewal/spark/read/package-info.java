/// Tests of reads.
package io.icewal.spark.read;
