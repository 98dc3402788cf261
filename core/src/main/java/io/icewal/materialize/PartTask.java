package io.icewal.materialize;

import java.io.Serializable;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What is to be done with the rows of each part of a cycle.
///
/// @param name a part of file names that no other task of any cycle uses
/// @param writes whether the rows are written; else their old rows are only looked for
/// @param lookInto locations of the data files in which old rows are looked for; null for all
public record PartTask(String name, boolean writes, @Nullable Set<String> lookInto)
    implements Serializable {
  public PartTask {
    lookInto = lookInto == null ? null : Set.copyOf(lookInto);
  }

  boolean looksInto(String location) {
    return lookInto == null || lookInto.contains(location);
  }

  boolean looks() {
    return lookInto == null || !lookInto.isEmpty();
  }
}
