package io.icewal.parquet;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;

/// Builds the tree of [WriteNode]s of a file schema.
final class WriteTree {
  /// Rows of a page of a searchable column. With 8 byte keys that is a page of 4 KiB and 2,000
  /// pages a million rows: a random key costs one such page, their index a few bytes a page.
  static final int SEARCHABLE_PAGE_ROWS = 512;

  private static final int DECIMAL_BYTES = 16;

  private final Map<Integer, ColumnDescriptor> descriptors = new HashMap<>();
  private final WriterSettings settings;
  private final PageCompressor compressor;
  private final PageBuffer scratch = new PageBuffer();
  private final List<LeafWriter> leaves = new ArrayList<>();

  WriteTree(MessageType type, WriterSettings settings, PageCompressor compressor) {
    for (ColumnDescriptor column : type.getColumns()) {
      descriptors.put(column.getPrimitiveType().getId().intValue(), column);
    }
    this.settings = settings;
    this.compressor = compressor;
  }

  List<WriteNode> columns(Schema schema) {
    return nodes(schema.columns(), 0);
  }

  /// The leaf columns in the order of the file's schema.
  List<LeafWriter> leaves() {
    return leaves;
  }

  private List<WriteNode> nodes(List<NestedField> fields, int repetition) {
    List<WriteNode> nodes = new ArrayList<>();
    for (NestedField field : fields) {
      if (field.type().typeId() != Type.TypeID.UNKNOWN) {
        nodes.add(node(field, repetition));
      }
    }
    return nodes;
  }

  private WriteNode node(NestedField field, int repetition) {
    return switch (field.type().typeId()) {
      case STRUCT ->
          new WriteNode.Struct(field, nodes(field.type().asStructType().fields(), repetition));
      case LIST ->
          new WriteNode.Repeated(
              field,
              nodes(field.type().asListType().fields(), repetition + 1),
              false,
              repetition + 1);
      case MAP ->
          new WriteNode.Repeated(
              field,
              nodes(field.type().asMapType().fields(), repetition + 1),
              true,
              repetition + 1);
      default -> leaf(field);
    };
  }

  private WriteNode leaf(NestedField field) {
    ColumnDescriptor column = descriptors.get(field.fieldId());
    if (column == null) {
      throw new IllegalStateException("no Parquet column for field " + field);
    }
    boolean searchable = isSearchable(field.fieldId());
    LeafWriter writer =
        new LeafWriter(
            column,
            encoder(column.getPrimitiveType(), searchable),
            new ColumnPages(
                compressor,
                searchable ? ColumnPages.SEARCHABLE_SHARE_MAX : ColumnPages.COMPRESSED_SHARE_MAX),
            scratch,
            settings.pageBytes(),
            searchable ? SEARCHABLE_PAGE_ROWS : 0);
    leaves.add(writer);
    return new WriteNode.Leaf(field, writer);
  }

  private boolean isSearchable(int fieldId) {
    return settings.keyFieldIds().contains(fieldId)
        || (!settings.keyFieldIds().isEmpty() && fieldId == MetadataColumns.ROW_ID.fieldId());
  }

  private LeafEncoder encoder(PrimitiveType type, boolean searchable) {
    boolean decimal = type.getLogicalTypeAnnotation() instanceof DecimalLogicalTypeAnnotation;
    return switch (type.getPrimitiveTypeName()) {
      case BOOLEAN -> new BooleanEncoder(type);
      case INT32, FLOAT ->
          new NumberEncoder(type, decimal ? DECIMAL_BYTES : Integer.BYTES, !searchable);
      case INT64, DOUBLE ->
          new NumberEncoder(type, decimal ? DECIMAL_BYTES : Long.BYTES, !searchable);
      case BINARY -> new BytesEncoder(type, !searchable, settings.pageBytes());
      case FIXED_LEN_BYTE_ARRAY -> new FixedBytesEncoder(type);
      case INT96 -> throw new IllegalStateException("Iceberg has no type for INT96");
    };
  }
}
