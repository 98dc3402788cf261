/// The seeded simulator: writers, materializers, trimmers, readers and a foreign engine over one
/// faulty store and one faulty catalog, every order and every crash drawn from one seed.
///
/// Each actor runs on its own thread and hands a baton over at every store, `FileIO` and catalog
/// call, so exactly one thread moves at a time and a seed names one run.
@NullMarked
package io.icewal.sim;

import org.jspecify.annotations.NullMarked;
