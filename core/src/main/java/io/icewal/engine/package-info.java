/// What query engines have in common: the log of a warehouse in one of their processes, and the
/// procedures on its tables.
///
/// In: a store, and what core takes from outside. Out: readers, caches and the publisher of
/// statements, which belong together ([EngineLog]); flush, materialization and adoption, as an
/// engine's user asks for them ([TableProcedures]).
@NullMarked
package io.icewal.engine;

import org.jspecify.annotations.NullMarked;
