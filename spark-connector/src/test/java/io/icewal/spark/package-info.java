/// Tests of the Spark connector, in one session on one embedded warehouse.
package io.icewal.spark;
