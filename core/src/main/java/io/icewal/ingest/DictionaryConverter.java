package io.icewal.ingest;

import io.icewal.model.Rule;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.types.pojo.Field;

/// Dictionary-encoded columns: the dictionary is looked up anew for each batch, because a sender
/// may replace or extend it in between.
final class DictionaryConverter implements ColumnConverter {
  private final Site site;
  private final long dictionaryId;
  private final WordSource indexForm;
  private final Field valueField;
  private final ColumnConverter values;

  /// @param valueField the dictionary's own field, as `values` was chosen for it
  DictionaryConverter(
      Site site,
      long dictionaryId,
      WordSource indexForm,
      Field valueField,
      ColumnConverter values) {
    this.site = site;
    this.dictionaryId = dictionaryId;
    this.indexForm = indexForm;
    this.valueField = valueField;
    this.values = values;
  }

  @Override
  public void convert(FieldVector in, Slots slots, FieldVector out, Conversion run) {
    Dictionary dictionary = run.dictionaries().lookup(dictionaryId);
    if (dictionary == null) {
      throw run.malformed(site, "refers to dictionary " + dictionaryId + ", which was not sent");
    }
    FieldVector entries = dictionary.getVector();
    Field field = entries.getField();
    if (!field.getType().equals(valueField.getType())
        || !field.getChildren().equals(valueField.getChildren())) {
      throw run.malformed(site, "has a dictionary of another type than before: " + field);
    }
    int[] source = indexes(in, slots, entries.getValueCount(), run);
    values.convert(entries, slots.through(source, entries.getValueCount()), out, run);
  }

  private int[] indexes(FieldVector in, Slots slots, int entryCount, Conversion run) {
    NullMap nulls = NullMap.of(in, slots, site, run);
    ArrowBuf data = in.getDataBuffer();
    run.checkCapacity(site, data, 8L * indexForm.bytes(), slots, nulls);
    run.chargeHeap(4L * slots.count());
    int[] source = new int[slots.count()];
    for (int i = 0; i < source.length; i++) {
      int at = slots.at(i);
      if (at == Slots.MASKED) {
        source[i] = Slots.MASKED;
      } else if (nulls.isNull(i)) {
        source[i] = Slots.NULL;
      } else {
        source[i] = index(indexForm.read(data.memoryAddress(), at), slots, i, entryCount, run);
      }
    }
    return source;
  }

  private int index(long index, Slots slots, int slot, int entryCount, Conversion run) {
    if (index >= 0 && index < entryCount) {
      return (int) index;
    }
    run.bad(
        site,
        slots,
        slot,
        Rule.MALFORMED,
        i -> "index " + indexForm.text(index),
        "index beyond the dictionary's " + entryCount + " values");
    return Slots.MASKED;
  }
}
