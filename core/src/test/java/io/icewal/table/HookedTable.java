package io.icewal.table;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Function;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;

/// Makes a table whose next commits meet with something: another commit just before, an answer that
/// is lost, an error. A commit that is to land anyway is passed on by its hook.
public final class HookedTable {
  /// What happens at one commit; `commit` hands it to the catalog.
  public interface Hook {
    void run(Runnable commit);
  }

  private HookedTable() {}

  /// The table, with one hook for each of its next commits.
  public static Table of(Table table, Hook... hooks) {
    Deque<Hook> queue = new ArrayDeque<>();
    for (Hook hook : hooks) {
      queue.add(hook);
    }
    return of(table, queue);
  }

  /// The table, with the hooks that are in the queue by then.
  public static Table of(Table table, Deque<Hook> hooks) {
    TableOperations operations = ((HasTableOperations) table).operations();
    return new BaseTable(new Operations(operations, hooks), table.name());
  }

  /// Something before the commit, which then goes on.
  public static Hook before(Runnable first) {
    return commit -> {
      first.run();
      commit.run();
    };
  }

  /// The commit lands, but its caller sees an error.
  public static Hook landsBut(Function<Throwable, RuntimeException> error) {
    return commit -> {
      commit.run();
      throw error.apply(new IllegalStateException("answer lost"));
    };
  }

  /// The commit does not land, and its caller sees an error.
  public static Hook fails(Function<Throwable, RuntimeException> error) {
    return commit -> {
      throw error.apply(new IllegalStateException("request lost"));
    };
  }

  private static final class Operations extends ForwardingTableOperations {
    private final Deque<Hook> hooks;

    Operations(TableOperations delegate, Deque<Hook> hooks) {
      super(delegate);
      this.hooks = hooks;
    }

    @Override
    public void commit(TableMetadata base, TableMetadata metadata) {
      Hook hook = hooks.poll();
      if (hook == null) {
        delegate.commit(base, metadata);
      } else {
        hook.run(() -> delegate.commit(base, metadata));
      }
    }
  }
}
