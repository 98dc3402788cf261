/// Tests of the connector by SQL, in one Trino server that all classes share.
package io.icewal.trino;
