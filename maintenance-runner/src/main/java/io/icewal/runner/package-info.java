/// The maintenance loop: observe, plan, do one action, observe again.
///
/// The logs' footers flow in, and from them what every table has waiting and since when; calls of
/// core's materializer and trimmer flow out. [ActionPlanner] decides and does no I/O; [Reconciler]
/// does what it decided. Any number of loops may run on one warehouse: what they believe about a
/// table is a hint, and safety lies in the commits (the position check, put-if-absent). A table
/// with nothing waiting costs no request.
@NullMarked
package io.icewal.runner;

import org.jspecify.annotations.NullMarked;
