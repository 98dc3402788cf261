package io.icewal.ingest;

import io.icewal.model.Rule;
import io.icewal.model.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// Chooses a converter for each pair of an Arrow field and a table field, down through nested
/// types. What does not fit becomes a verdict on the schema; planning goes on, so that the sender
/// hears of every bad column at once.
final class ConverterPlanner {
  private static final String EXTENSION_NAME = "ARROW:extension:name";
  private static final String UUID_EXTENSION = "arrow.uuid";

  /// What happens to a field that the table's side does not name.
  enum Others {
    REFUSED,
    IGNORED
  }

  private final DictionaryProvider dictionaries;
  private final Set<Integer> keyPath;
  private final List<Verdict> problems;
  private final ColumnMatcher matcher;

  /// @param keyPath ids of the key's fields and of the structs around them
  /// @param problems where verdicts on the schema go
  ConverterPlanner(
      DictionaryProvider dictionaries,
      Set<Integer> keyPath,
      Others others,
      List<Verdict> problems) {
    this.dictionaries = dictionaries;
    this.keyPath = keyPath;
    this.problems = problems;
    this.matcher = new ColumnMatcher(this, keyPath, others, problems);
  }

  ColumnMatcher matcher() {
    return matcher;
  }

  /// Whether a column's values are texts, whatever encodes them.
  boolean isText(Field in) {
    DictionaryEncoding encoding = in.getDictionary();
    if (encoding != null) {
      Dictionary dictionary = dictionaries.lookup(encoding.getId());
      return dictionary != null && isText(dictionary.getVector().getField());
    }
    ArrowType type = in.getType();
    if (type instanceof ArrowType.RunEndEncoded && in.getChildren().size() == 2) {
      return isText(in.getChildren().get(1));
    }
    return type instanceof ArrowType.Utf8
        || type instanceof ArrowType.LargeUtf8
        || type instanceof ArrowType.Utf8View;
  }

  /// Null if it does not fit; the verdict is given.
  @Nullable ColumnConverter plan(Field in, NestedField target, String path) {
    Site.Presence presence =
        target.isRequired()
            ? Site.Presence.REQUIRED
            : in.isNullable() ? Site.Presence.OPTIONAL : Site.Presence.DECLARED;
    Site site = new Site(path, target.type(), presence, keyPath.contains(target.fieldId()));
    return plan(in, site);
  }

  private @Nullable ColumnConverter plan(Field in, Site site) {
    DictionaryEncoding encoding = in.getDictionary();
    if (encoding != null) {
      return planDictionary(in, encoding, site);
    }
    ArrowType type = in.getType();
    if (type instanceof ArrowType.ExtensionType extension) {
      return planExtension(in, extension, site);
    }
    if (type instanceof ArrowType.RunEndEncoded) {
      return planRuns(in, site);
    }
    if (UUID_EXTENSION.equals(in.getMetadata().get(EXTENSION_NAME)) && !isSixteenBytes(type)) {
      return refuse(in, site, "arrow.uuid is stored as fixed_size_binary(16)");
    }
    if (type instanceof ArrowType.Null) {
      return new AllNullConverter(site);
    }
    return switch (site.type().typeId()) {
      case STRUCT -> planStruct(in, site);
      case LIST -> planList(in, site);
      case MAP -> planMap(in, site);
      default -> planLeaf(in, site);
    };
  }

  private @Nullable ColumnConverter planLeaf(Field in, Site site) {
    ColumnConverter leaf = LeafPlanner.plan(in.getType(), site);
    return leaf != null ? leaf : refuse(in, site, "expected " + LeafPlanner.accepted(site.type()));
  }

  private @Nullable ColumnConverter planDictionary(
      Field in, DictionaryEncoding encoding, Site site) {
    Dictionary dictionary = dictionaries.lookup(encoding.getId());
    if (dictionary == null || !(in.getType() instanceof ArrowType.Int indexType)) {
      return refuse(in, site, "its dictionary " + encoding.getId() + " is not known");
    }
    Field valueField = dictionary.getVector().getField();
    Field named =
        new Field(
            in.getName(),
            new FieldType(true, valueField.getType(), null, in.getMetadata()),
            valueField.getChildren());
    ColumnConverter values = plan(named, site);
    return values == null
        ? null
        : new DictionaryConverter(
            site,
            encoding.getId(),
            WordSource.of(indexType.getBitWidth(), indexType.getIsSigned()),
            valueField,
            values);
  }

  private @Nullable ColumnConverter planExtension(
      Field in, ArrowType.ExtensionType extension, Site site) {
    if (UUID_EXTENSION.equals(extension.extensionName())
        && !isSixteenBytes(extension.storageType())) {
      return refuse(in, site, "arrow.uuid is stored as fixed_size_binary(16)");
    }
    Field storage =
        new Field(
            in.getName(),
            new FieldType(in.isNullable(), extension.storageType(), null, in.getMetadata()),
            in.getChildren());
    ColumnConverter converter = plan(storage, site);
    return converter == null ? null : new ExtensionConverter(converter);
  }

  private @Nullable ColumnConverter planRuns(Field in, Site site) {
    List<Field> children = in.getChildren();
    if (children.size() != 2 || !(children.get(0).getType() instanceof ArrowType.Int ends)) {
      return refuse(in, site, "a run-end encoded column has run ends and values");
    }
    Field values = children.get(1);
    Field named =
        new Field(
            in.getName(),
            new FieldType(true, values.getType(), values.getDictionary(), values.getMetadata()),
            values.getChildren());
    ColumnConverter converter = plan(named, site);
    return converter == null
        ? null
        : new RunEndConverter(
            site, WordSource.of(ends.getBitWidth(), ends.getIsSigned()), converter);
  }

  private @Nullable ColumnConverter planStruct(Field in, Site site) {
    if (!(in.getType() instanceof ArrowType.Struct)) {
      return refuse(in, site, "expected struct");
    }
    List<PlannedColumn> children =
        matcher.matchNested(in.getChildren(), site.type().asStructType().fields(), site.path());
    return new StructConverter(site, children);
  }

  private @Nullable ColumnConverter planList(Field in, Site site) {
    ListForm form = listForm(in.getType());
    if (form == null || in.getChildren().size() != 1) {
      return refuse(in, site, "expected a list of any form");
    }
    ColumnConverter elements =
        plan(
            in.getChildren().get(0),
            site.type().asListType().fields().get(0),
            site.path() + ".element");
    int fixedLength =
        in.getType() instanceof ArrowType.FixedSizeList fixed ? fixed.getListSize() : 0;
    return elements == null ? null : new ListConverter(site, form, fixedLength, elements);
  }

  private @Nullable ColumnConverter planMap(Field in, Site site) {
    if (!(in.getType() instanceof ArrowType.Map) || in.getChildren().size() != 1) {
      return refuse(in, site, "expected map");
    }
    Field entries = in.getChildren().get(0);
    if (!(entries.getType() instanceof ArrowType.Struct) || entries.getChildren().size() != 2) {
      return refuse(in, site, "expected map with a key and a value");
    }
    // Keys and values go by place: Arrow names them as each library likes.
    Types.MapType type = site.type().asMapType();
    List<PlannedColumn> children = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      NestedField target = type.fields().get(i);
      ColumnConverter converter =
          plan(entries.getChildren().get(i), target, site.path() + (i == 0 ? ".key" : ".value"));
      if (converter != null) {
        children.add(ColumnMatcher.sent(target, false, i, converter));
      }
    }
    if (children.size() < 2) {
      return null;
    }
    Site entrySite = new Site(site.path(), type, Site.Presence.REQUIRED, false);
    ColumnConverter entryConverter = new StructConverter(entrySite, children);
    return new MapConverter(site, new ListConverter(site, ListForm.OFFSETS, 0, entryConverter));
  }

  private static @Nullable ListForm listForm(ArrowType type) {
    if (type instanceof ArrowType.List) {
      return ListForm.OFFSETS;
    }
    if (type instanceof ArrowType.LargeList) {
      return ListForm.LARGE_OFFSETS;
    }
    if (type instanceof ArrowType.FixedSizeList) {
      return ListForm.FIXED;
    }
    if (type instanceof ArrowType.ListView) {
      return ListForm.VIEW;
    }
    return type instanceof ArrowType.LargeListView ? ListForm.LARGE_VIEW : null;
  }

  private static boolean isSixteenBytes(ArrowType type) {
    return type instanceof ArrowType.FixedSizeBinary fixed && fixed.getByteWidth() == 16;
  }

  private @Nullable ColumnConverter refuse(Field in, Site site, String expected) {
    problems.add(
        Rules.schema(
            site.path(),
            Rule.TYPE,
            in.getType().toString(),
            "column '"
                + site.path()
                + "' has Arrow type "
                + in.getType()
                + ", the table's type is "
                + site.type()
                + ": "
                + expected));
    return null;
  }
}
