package io.icewal.parquet;

import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.jspecify.annotations.Nullable;

/// Gathers values of vectors of one type into a new vector of that type, one loop a vector kind and
/// level of nesting.
///
/// @param source the vector of each value, or null if all are of the first
/// @param index the value's index there; negative for a null
record VectorGather(int @Nullable [] source, int[] index, int from, int to) {
  private static final int DECIMAL_BYTES = 16;

  /// Fills a new, empty vector.
  void into(FieldVector target, List<? extends FieldVector> sources) {
    if (target instanceof NullVector nulls) {
      nulls.setValueCount(rows());
    } else if (target instanceof BitVector bits) {
      bits(bits, sources);
    } else if (target instanceof BaseFixedWidthVector fixed) {
      fixed(fixed, sources);
    } else if (target instanceof BaseVariableWidthVector variable) {
      variable(variable, sources);
    } else if (target instanceof StructVector struct) {
      struct(struct, sources);
    } else if (target instanceof ListVector list) {
      list(list, sources);
    } else {
      throw new IllegalArgumentException("no canonical vector: " + target.getField());
    }
  }

  private int rows() {
    return to - from;
  }

  private int sourceOf(int row) {
    return source == null ? 0 : source[from + row];
  }

  private int indexOf(int row, int[] counts) {
    int at = index[from + row];
    if (at >= counts[sourceOf(row)]) {
      throw new IndexOutOfBoundsException("row " + at + " of " + counts[sourceOf(row)]);
    }
    return at;
  }

  private static int[] counts(List<? extends FieldVector> sources) {
    return sources.stream().mapToInt(FieldVector::getValueCount).toArray();
  }

  private void bits(BitVector target, List<? extends FieldVector> sources) {
    target.allocateNew(rows());
    validity(target, sources);
    long out = target.getDataBuffer().memoryAddress();
    MemoryUtil.setMemory(out, (rows() + 7L) / Byte.SIZE, (byte) 0);
    long[] in = new long[sources.size()];
    for (int s = 0; s < in.length; s++) {
      in[s] =
          VectorMemory.address(
              sources.get(s).getDataBuffer(), (sources.get(s).getValueCount() + 7L) / Byte.SIZE);
    }
    for (int row = 0; row < rows(); row++) {
      int at = index[from + row];
      if (at >= 0 && VectorMemory.bit(in[sourceOf(row)], at)) {
        VectorMemory.setBit(out, row);
      }
    }
    target.setValueCount(rows());
  }

  private void fixed(BaseFixedWidthVector target, List<? extends FieldVector> sources) {
    target.allocateNew(rows());
    validity(target, sources);
    int width = target.getTypeWidth();
    long out = target.getDataBuffer().memoryAddress();
    long[] in = new long[sources.size()];
    for (int s = 0; s < in.length; s++) {
      in[s] = VectorMemory.values(sources.get(s), sources.get(s).getValueCount(), width);
    }
    switch (width) {
      case Integer.BYTES -> copyInts(in, out);
      case Long.BYTES -> copyLongs(in, out);
      default -> copyBytes(in, out, width);
    }
    target.setValueCount(rows());
  }

  private void copyInts(long[] in, long out) {
    for (int row = 0; row < rows(); row++) {
      int at = index[from + row];
      int value = at < 0 ? 0 : MemoryUtil.getInt(in[sourceOf(row)] + (long) at * Integer.BYTES);
      MemoryUtil.putInt(out + (long) row * Integer.BYTES, value);
    }
  }

  private void copyLongs(long[] in, long out) {
    for (int row = 0; row < rows(); row++) {
      int at = index[from + row];
      long value = at < 0 ? 0 : MemoryUtil.getLong(in[sourceOf(row)] + (long) at * Long.BYTES);
      MemoryUtil.putLong(out + (long) row * Long.BYTES, value);
    }
  }

  private void copyBytes(long[] in, long out, int width) {
    for (int row = 0; row < rows(); row++) {
      int at = index[from + row];
      long address = out + (long) row * width;
      if (at < 0) {
        MemoryUtil.setMemory(address, width, (byte) 0);
      } else {
        copyValue(in[sourceOf(row)] + (long) at * width, address, width);
      }
    }
  }

  private static void copyValue(long from, long to, int length) {
    if (length == DECIMAL_BYTES) {
      MemoryUtil.putLong(to, MemoryUtil.getLong(from));
      MemoryUtil.putLong(to + Long.BYTES, MemoryUtil.getLong(from + Long.BYTES));
    } else if (length > 4 * Long.BYTES) {
      MemoryUtil.copyMemory(from, to, length);
    } else {
      copyShort(from, to, length);
    }
  }

  private static void copyShort(long from, long to, int length) {
    int done = 0;
    for (; done + Long.BYTES <= length; done += Long.BYTES) {
      MemoryUtil.putLong(to + done, MemoryUtil.getLong(from + done));
    }
    if (done + Integer.BYTES <= length) {
      MemoryUtil.putInt(to + done, MemoryUtil.getInt(from + done));
      done += Integer.BYTES;
    }
    for (; done < length; done++) {
      MemoryUtil.putByte(to + done, MemoryUtil.getByte(from + done));
    }
  }

  private void variable(BaseVariableWidthVector target, List<? extends FieldVector> sources) {
    int[] counts = counts(sources);
    long[] offsets = new long[counts.length];
    long[] data = new long[counts.length];
    for (int s = 0; s < counts.length; s++) {
      offsets[s] = VectorMemory.offsets(sources.get(s), counts[s]);
      long end = counts[s] == 0 ? 0 : MemoryUtil.getInt(offsets[s] + 4L * counts[s]);
      data[s] = VectorMemory.address(sources.get(s).getDataBuffer(), end);
    }
    long total = 0;
    for (int row = 0; row < rows(); row++) {
      int at = indexOf(row, counts);
      total += at < 0 ? 0 : length(offsets[sourceOf(row)], at);
    }
    target.allocateNew(total, rows());
    validity(target, sources);
    copyVariable(target, offsets, data);
    target.setLastSet(rows() - 1);
    target.setValueCount(rows());
  }

  private static int length(long offsets, int at) {
    return MemoryUtil.getInt(offsets + 4L * (at + 1)) - MemoryUtil.getInt(offsets + 4L * at);
  }

  private void copyVariable(BaseVariableWidthVector target, long[] offsets, long[] data) {
    long outOffsets = target.getOffsetBuffer().memoryAddress();
    long out = target.getDataBuffer().memoryAddress();
    int end = 0;
    if (rows() > 0) {
      MemoryUtil.putInt(outOffsets, 0);
    }
    for (int row = 0; row < rows(); row++) {
      int at = index[from + row];
      if (at >= 0) {
        int s = sourceOf(row);
        int length = length(offsets[s], at);
        copyValue(data[s] + MemoryUtil.getInt(offsets[s] + 4L * at), out + end, length);
        end += length;
      }
      MemoryUtil.putInt(outOffsets + 4L * (row + 1), end);
    }
  }

  private void struct(StructVector target, List<? extends FieldVector> sources) {
    target.setInitialCapacity(Math.max(1, rows()));
    target.allocateNew();
    validity(target, sources);
    for (int c = 0; c < target.size(); c++) {
      int child = c;
      into(
          (FieldVector) target.getChildByOrdinal(c),
          sources.stream()
              .map(s -> (FieldVector) ((StructVector) s).getChildByOrdinal(child))
              .toList());
    }
    target.setValueCount(rows());
  }

  private void list(ListVector target, List<? extends FieldVector> sources) {
    int[] counts = counts(sources);
    target.setInitialCapacity(Math.max(1, rows()));
    target.allocateNew();
    validity(target, sources);
    long offsets = target.getOffsetBuffer().memoryAddress();
    int[] elementSource = new int[rows()];
    int[] elementIndex = new int[rows()];
    int elements = 0;
    MemoryUtil.putInt(offsets, 0);
    for (int row = 0; row < rows(); row++) {
      int at = indexOf(row, counts);
      if (at >= 0 && !sources.get(sourceOf(row)).isNull(at)) {
        ListVector list = (ListVector) sources.get(sourceOf(row));
        int end = list.getElementEndIndex(at);
        for (int element = list.getElementStartIndex(at); element < end; element++) {
          if (elements == elementIndex.length) {
            elementSource = Arrays.copyOf(elementSource, 2 * elements);
            elementIndex = Arrays.copyOf(elementIndex, 2 * elements);
          }
          elementSource[elements] = sourceOf(row);
          elementIndex[elements++] = element;
        }
      }
      MemoryUtil.putInt(offsets + 4L * (row + 1), elements);
    }
    new VectorGather(elementSource, elementIndex, 0, elements)
        .into(
            target.getDataVector(),
            sources.stream().map(s -> ((ListVector) s).getDataVector()).toList());
    target.setLastSet(rows() - 1);
    target.setValueCount(rows());
  }

  private void validity(FieldVector target, List<? extends FieldVector> sources) {
    if (rows() == 0) {
      return;
    }
    int[] counts = counts(sources);
    long out = target.getValidityBuffer().memoryAddress();
    MemoryUtil.setMemory(out, (rows() + 7L) / Byte.SIZE, (byte) 0);
    boolean[] nullable = new boolean[counts.length];
    for (int s = 0; s < counts.length; s++) {
      nullable[s] = sources.get(s).getNullCount() > 0;
    }
    for (int row = 0; row < rows(); row++) {
      int at = indexOf(row, counts);
      if (at >= 0 && !(nullable[sourceOf(row)] && sources.get(sourceOf(row)).isNull(at))) {
        VectorMemory.setBit(out, row);
      }
    }
  }
}
