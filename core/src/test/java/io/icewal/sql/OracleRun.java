package io.icewal.sql;

import io.icewal.TestTables;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// One run of the oracle: what is chosen next, and what was done so far.
final class OracleRun {
  final OracleEngine engine;
  final TestTables tables;
  final Random random;
  private final List<String> history = new ArrayList<>();

  OracleRun(OracleEngine engine, Random random) {
    this.engine = engine;
    this.tables = engine.tables();
    this.random = random;
  }

  void note(String done) {
    history.add(done);
  }

  void execute(String sql) {
    note(sql);
    engine.execute(sql);
  }

  void act(OracleEngine.Action action) {
    note(action.text());
    action.work().run();
  }

  /// One of some ways to do a thing.
  void actOne(List<OracleEngine.Action> ways) {
    act(pick(ways));
  }

  <T> T pick(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  String history() {
    return String.join("\n", history);
  }
}
