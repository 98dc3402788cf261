package io.icewal.ingest;

import io.icewal.model.ArrowSchemas;
import io.icewal.model.RowOp;
import io.icewal.model.Rule;
import io.icewal.model.Verdict;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// Matches the fields that a sender named to the table's, by name and case. A name is taken as it
/// is: a dot in it means nothing.
final class ColumnMatcher {
  /// Problems that come with a hint at what was meant; those after them are told without.
  private static final int HINTS_MAX = 20;

  private final ConverterPlanner planner;
  private final Set<Integer> keyPath;
  private final ConverterPlanner.Others others;
  private final List<Verdict> problems;

  ColumnMatcher(
      ConverterPlanner planner,
      Set<Integer> keyPath,
      ConverterPlanner.Others others,
      List<Verdict> problems) {
    this.planner = planner;
    this.keyPath = keyPath;
    this.others = others;
    this.problems = problems;
  }

  /// Top-level columns, in the table's order. Those that were not sent and have no default are left
  /// out.
  ///
  /// @param isOp whether the `_op` column is somebody else's to read
  List<PlannedColumn> matchColumns(List<Field> sent, List<NestedField> targets, boolean isOp) {
    Map<String, Integer> byName = byName(sent, "", targets);
    refuseUnknown(sent, targets, "", isOp);
    List<PlannedColumn> planned = new ArrayList<>();
    for (NestedField target : targets) {
      boolean leftOut =
          target.isOptional()
              && target.writeDefault() == null
              && !byName.containsKey(target.name());
      PlannedColumn column = leftOut ? null : match(sent, byName, target, "");
      if (column != null) {
        planned.add(column);
      }
    }
    return planned;
  }

  /// A struct's fields, in the table's order, complete: those that were not sent are filled in.
  List<PlannedColumn> matchNested(List<Field> sent, List<NestedField> targets, String path) {
    Map<String, Integer> byName = byName(sent, path + ".", targets);
    refuseUnknown(sent, targets, path + ".", false);
    List<PlannedColumn> planned = new ArrayList<>();
    for (NestedField target : targets) {
      PlannedColumn column = match(sent, byName, target, path + ".");
      if (column != null) {
        planned.add(column);
      }
    }
    return planned;
  }

  static PlannedColumn sent(NestedField target, boolean key, int input, ColumnConverter converter) {
    return PlannedColumn.sent(ArrowSchemas.toArrow(target), key, input, converter);
  }

  private @Nullable PlannedColumn match(
      List<Field> sent, Map<String, Integer> byName, NestedField target, String prefix) {
    String path = prefix + target.name();
    Integer input = byName.get(target.name());
    if (input != null) {
      ColumnConverter converter = planner.plan(sent.get(input), target, path);
      return converter == null
          ? null
          : sent(target, keyPath.contains(target.fieldId()), input, converter);
    }
    if (target.isRequired() && target.writeDefault() == null) {
      refuseMissing(sent, target, path);
      return null;
    }
    return filledIn(target, path);
  }

  private @Nullable PlannedColumn filledIn(NestedField target, String path) {
    Field field = ArrowSchemas.toArrow(target);
    ColumnConverter identity = planner.plan(field, target, path);
    if (identity == null) {
      return null;
    }
    ConstantColumn constant = new ConstantColumn(field, target.writeDefault(), identity);
    return PlannedColumn.filledIn(field, keyPath.contains(target.fieldId()), constant);
  }

  private Map<String, Integer> byName(List<Field> sent, String prefix, List<NestedField> targets) {
    Map<String, Integer> byName = new HashMap<>();
    for (int i = 0; i < sent.size(); i++) {
      String name = sent.get(i).getName();
      boolean counts =
          others == ConverterPlanner.Others.REFUSED
              || targets.stream().anyMatch(target -> target.name().equals(name));
      if (counts && byName.putIfAbsent(name, i) != null) {
        problems.add(
            Rules.schema(
                prefix + name,
                Rule.DUPLICATE_COLUMN,
                null,
                "column '" + prefix + name + "' was sent twice"));
      }
    }
    return byName;
  }

  private void refuseUnknown(
      List<Field> sent, List<NestedField> targets, String prefix, boolean isOp) {
    if (others == ConverterPlanner.Others.IGNORED) {
      return;
    }
    Set<String> names = new LinkedHashSet<>();
    targets.forEach(target -> names.add(target.name()));
    for (Field field : sent) {
      String name = field.getName();
      if (!names.contains(name) && !(isOp && name.equals(RowOp.COLUMN))) {
        problems.add(
            Rules.schema(
                prefix + name,
                Rule.UNKNOWN_COLUMN,
                null,
                "the table has no column '" + prefix + name + "'" + hint(name, names)));
      }
    }
  }

  private String hint(String name, Set<String> names) {
    if (name.equals(RowOp.COLUMN)) {
      return "; a stream with an op column is opened with that option";
    }
    String nearest = nearest(name, names);
    return nearest == null ? "" : "; did you mean '" + nearest + "'?";
  }

  private @Nullable String nearest(String name, Collection<String> names) {
    return problems.size() < HINTS_MAX ? NearestName.of(name, names) : null;
  }

  private void refuseMissing(List<Field> sent, NestedField target, String path) {
    String nearest = nearest(target.name(), sent.stream().map(Field::getName).toList());
    problems.add(
        Rules.schema(
            path,
            Rule.MISSING_COLUMN,
            null,
            "column '"
                + path
                + "' is required, has no default and was not sent"
                + (nearest == null ? "" : "; the nearest one sent is '" + nearest + "'")));
  }
}
