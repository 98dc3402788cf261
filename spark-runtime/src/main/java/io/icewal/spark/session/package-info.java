/// Spark as a process that the `icewal` command starts and talks to.
///
/// In: lines of JSON on standard input, `{"run": SQL}` and `{"cancel": true}`; its end ends the
/// process. Out: lines of JSON on standard output, and nothing else there: `{"ready": true}` once;
/// then for each statement `{"done": true}`, or `{"columns": […]}`, any number of `{"rows": […]}`
/// and `{"end": true}`; or at any point `{"error": {"kind": …, "message": …}}`. What Spark logs
/// goes to standard error.
@NullMarked
package io.icewal.spark.session;

import org.jspecify.annotations.NullMarked;
