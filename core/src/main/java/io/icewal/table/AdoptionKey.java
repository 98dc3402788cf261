package io.icewal.table;

import io.icewal.merge.KeyColumns;
import io.icewal.model.IcewalException;
import io.icewal.model.Verdict;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// The columns that a table's key is to have, judged by the schema alone. Pure.
///
/// @param names the columns, each once
/// @param optional those of them and of the structs around them that are optional
/// @param refusals why it cannot be the key, whatever the rows are
record AdoptionKey(List<String> names, List<String> optional, List<Verdict> refusals) {
  private static final String RULE = "key-column";
  private static final int NAMES_MAX = 20;
  static final String RULE_OPTIONAL = "key-optional";

  static AdoptionKey of(Schema schema, List<String> wanted) {
    List<String> names = List.copyOf(new LinkedHashSet<>(wanted));
    Set<String> optional = new LinkedHashSet<>();
    List<Verdict> refusals = new ArrayList<>();
    Map<Integer, Integer> parents = TypeUtil.indexParents(schema.asStruct());
    for (String name : names) {
      NestedField field = schema.findField(name);
      if (field == null) {
        refusals.add(
            refusal(name, null, "there is no such column; the table has " + columns(schema)));
      } else {
        judge(schema, parents, field, name, optional, refusals);
      }
    }
    return new AdoptionKey(names, List.copyOf(optional), refusals);
  }

  private static void judge(
      Schema schema,
      Map<Integer, Integer> parents,
      NestedField field,
      String name,
      Set<String> optional,
      List<Verdict> refusals) {
    String type = field.type().toString();
    List<String> own = new ArrayList<>(field.isOptional() ? List.of(name) : List.of());
    for (Integer id = parents.get(field.fieldId()); id != null; id = parents.get(id)) {
      NestedField parent = schema.findField(id);
      if (!parent.type().isStructType()) {
        String kind = parent.type().isListType() ? "list" : "map";
        refusals.add(refusal(name, type, "it is inside a " + kind + ", and so has many values"));
        return;
      }
      if (parent.isOptional()) {
        own.add(schema.findColumnName(id));
      }
    }
    Collections.reverse(own);
    try {
      KeyColumns.checkType(name, field.type());
      optional.addAll(own);
    } catch (IcewalException e) {
      refusals.add(new Verdict(-1, name, RULE, type, String.valueOf(e.getMessage())));
    }
  }

  private static Verdict refusal(String name, @Nullable String type, String why) {
    return new Verdict(
        -1, name, RULE, type, "column '" + name + "' cannot be part of the key: " + why);
  }

  private static String columns(Schema schema) {
    List<String> names = schema.columns().stream().map(NestedField::name).toList();
    return String.join(", ", names.subList(0, Math.min(names.size(), NAMES_MAX)))
        + (names.size() > NAMES_MAX ? ", …" : "");
  }

  /// Refusals for the optional columns.
  List<Verdict> optionalRefusals() {
    return optional.stream()
        .map(
            name ->
                new Verdict(
                    -1,
                    name,
                    RULE_OPTIONAL,
                    null,
                    "column '"
                        + name
                        + "' is optional, but a key has a value in every row; make it required, or"
                        + " let the adoption do so where no row has a null (--require-key)"))
        .toList();
  }

  /// Whether a rule says that the key cannot be one at all.
  static boolean isOfKey(String rule) {
    return rule.equals(RULE);
  }
}
