/// What the tests of every SQL engine share: contracts of reading, and an oracle of changes at
/// random, and a measurement. A module of an engine says how the engine is asked ([SqlEngine],
/// [OracleEngine], [BenchEngine]).
package io.icewal.sql;
