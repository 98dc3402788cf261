package io.icewal.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BodyBuffersTest {
  private static final int MIB = 1 << 20;

  private final BufferAllocator allocator = new RootAllocator(64 * MIB);
  private final BodyBuffers buffers = new BodyBuffers(allocator, 16 * MIB);

  @AfterEach
  void allIsGivenBack() {
    buffers.close();
    assertThat(allocator.getAllocatedMemory()).isZero();
    allocator.close();
  }

  @Test
  void theMemoryOfALargeBodyServesTheNextOfItsSize() {
    ArrowBuf first = buffers.allocate(5 * MIB);
    long address = first.memoryAddress();
    first.close();

    try (ArrowBuf next = buffers.allocate(5 * MIB - 1_000)) {
      assertThat(next.memoryAddress()).isEqualTo(address);
      assertThat(next.capacity()).isGreaterThanOrEqualTo(5 * MIB - 1_000);
    }
    try (ArrowBuf small = buffers.allocate(MIB + 1)) {
      assertThat(small.capacity()).as("nothing is wasted on it").isEqualTo(2 * MIB);
    }
  }

  @Test
  void bodiesInUseNeverShareMemory() {
    List<ArrowBuf> bodies = new ArrayList<>();
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 4; i++) {
        ArrowBuf body = buffers.allocate(3 * MIB);
        body.setZero(0, 3 * MIB);
        body.setInt(0, i);
        body.setInt(3 * MIB - 4, i);
        bodies.add(body);
      }
      for (int i = 0; i < 4; i++) {
        assertThat(bodies.get(i).getInt(0)).isEqualTo(i);
        assertThat(bodies.get(i).getInt(3 * MIB - 4)).isEqualTo(i);
      }
      bodies.forEach(ArrowBuf::close);
      bodies.clear();
    }
  }

  @Test
  void aSliceKeepsItsBodyFromBeingUsedAgain() {
    ArrowBuf body = buffers.allocate(4 * MIB);
    ArrowBuf slice = body.slice(MIB, MIB);
    slice.getReferenceManager().retain();
    body.close();

    try (ArrowBuf next = buffers.allocate(4 * MIB)) {
      assertThat(next.memoryAddress()).isNotEqualTo(slice.memoryAddress() - MIB);
    }
    slice.close();
    assertThat(buffers.keptBytes()).isEqualTo(8 * MIB);
  }

  @Test
  void bodiesCountInTheAllocatorWhileTheyAreInUse() {
    ArrowBuf body = buffers.allocate(5 * MIB);
    assertThat(allocator.getAllocatedMemory()).isEqualTo(5 * MIB);
    body.close();

    assertThat(allocator.getAllocatedMemory()).isZero();
    assertThat(buffers.keptBytes()).isEqualTo(5 * MIB);
  }

  @Test
  void anAllocatorThatIsFullRefusesABodyAndLosesNothing() {
    try (ArrowBuf most = allocator.buffer(60 * MIB)) {
      assertThat(most.capacity()).isPositive();
      assertThatThrownBy(() -> buffers.allocate(8 * MIB)).isInstanceOf(OutOfMemoryException.class);
    }
    try (ArrowBuf body = buffers.allocate(8 * MIB)) {
      assertThat(body.capacity()).isEqualTo(8 * MIB);
    }
  }

  @Test
  void whatIsKeptIsBounded() {
    List<ArrowBuf> bodies = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      bodies.add(buffers.allocate(6 * MIB));
    }
    bodies.forEach(ArrowBuf::close);

    assertThat(buffers.keptBytes()).isEqualTo(12 * MIB);
  }

  @Test
  void aBodyThatIsReleasedAfterTheEndIsFreed() {
    ArrowBuf body = buffers.allocate(6 * MIB);
    buffers.close();
    body.close();

    assertThat(buffers.keptBytes()).isZero();
  }
}
