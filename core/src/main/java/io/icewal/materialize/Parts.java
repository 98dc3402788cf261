package io.icewal.materialize;

import java.util.List;
import org.apache.iceberg.Table;

/// The rows of one cycle, in parts that can be worked on apart from one another: of a keyed table,
/// no key is in two of them.
public interface Parts extends AutoCloseable {
  /// Does a task with all parts.
  ///
  /// @param now the table whose files may have old rows
  /// @return a result for each part, always in the same order
  List<PartResult> run(PartTask task, Table now);

  @Override
  void close();
}
