package io.icewal;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.List;
import org.apache.arrow.vector.ValueVector;

/// Rows travel as columns: an object for each row, or for each value, costs more than all the rest
/// of the work on it.
public final class RowObjects {
  /// Types whose objects are rows, or read and write rows one by one.
  private static final List<String> ROW_TYPES =
      List.of(
          "org.apache.iceberg.data.Record",
          "org.apache.iceberg.data.GenericRecord",
          "org.apache.iceberg.data.InternalRecordWrapper",
          "org.apache.iceberg.data.IcebergGenerics",
          "org.apache.iceberg.data.GenericAppenderFactory",
          "org.apache.iceberg.data.GenericFileWriterFactory",
          "org.apache.iceberg.data.parquet.",
          "org.apache.parquet.example.",
          "org.apache.parquet.avro.",
          "org.apache.parquet.io.api.RecordMaterializer",
          "org.apache.avro.generic.");

  /// Does a class use such a type, or read an Arrow vector value by value as objects?
  public static final ArchCondition<JavaClass> MAKE_ROW_OBJECTS =
      new ArchCondition<>("make row objects or call ValueVector.getObject") {
        @Override
        public void check(JavaClass type, ConditionEvents events) {
          for (JavaAccess<?> access : type.getAccessesFromSelf()) {
            boolean getObject =
                access.getName().equals("getObject")
                    && access.getTargetOwner().isAssignableTo(ValueVector.class);
            String owner = access.getTargetOwner().getName();
            if (getObject || ROW_TYPES.stream().anyMatch(owner::startsWith)) {
              events.add(SimpleConditionEvent.satisfied(type, access.getDescription()));
            }
          }
        }
      };

  private RowObjects() {}
}
