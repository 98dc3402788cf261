package io.icewal.sim;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.storage.ByteRange;
import io.icewal.storage.MemoryObjectStore;
import io.icewal.storage.ObjectMeta;
import io.icewal.storage.ObjectStore;
import io.icewal.storage.PutOutcome;
import io.icewal.storage.StoredBytes;
import java.io.ByteArrayOutputStream;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/// One actor-facing store: every call is a point of the schedule and may meet a fault. All of a
/// simulation's actors share one.
final class SimStore implements ObjectStore {
  private final MemoryObjectStore objects;
  private final Schedule schedule;
  private final Faults faults;
  private final BiConsumer<String, byte[]> landed;
  private final Set<String> taken = new HashSet<>();

  /// @param landed told of every object that comes to be, in order
  SimStore(
      MemoryObjectStore objects,
      Schedule schedule,
      Faults faults,
      BiConsumer<String, byte[]> landed) {
    this.objects = objects;
    this.schedule = schedule;
    this.faults = faults;
    this.landed = landed;
  }

  @Override
  public PutOutcome putIfAbsent(String key, List<byte[]> parts) {
    schedule.point("put " + key);
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    parts.forEach(whole::writeBytes);
    byte[] bytes = whole.toByteArray();
    Faults.Fate fate = faults.fateOfWrite("put", key);
    PutOutcome lost = new PutOutcome.Unknown(new java.io.IOException("simulated: " + fate));
    PutOutcome outcome =
        switch (fate) {
          case ARRIVES -> land(key, bytes);
          case LOST_ANSWER -> {
            land(key, bytes);
            yield lost;
          }
          case FAILS -> lost;
          case TRAVELS -> {
            faults.travel(key, () -> land(key, bytes), () -> isFreeAgain(key));
            yield lost;
          }
        };
    if (fate != Faults.Fate.ARRIVES) {
      schedule.waitInVain();
    }
    schedule.point("put answered " + key + " " + fate);
    return outcome;
  }

  private PutOutcome land(String key, byte[] bytes) {
    PutOutcome outcome = objects.putIfAbsent(key, List.of(bytes));
    if (outcome == PutOutcome.CREATED) {
      taken.add(key);
      schedule.observe(() -> landed.accept(key, bytes));
    }
    return outcome;
  }

  private boolean isFreeAgain(String key) {
    return taken.contains(key) && objects.head(key).isEmpty();
  }

  @Override
  public void put(String key, byte[] bytes) {
    schedule.point("overwrite " + key);
    switch (faults.fateOfWrite("overwrite")) {
      case ARRIVES -> objects.put(key, bytes);
      case FAILS -> throw unavailable("put " + key);
      case LOST_ANSWER -> {
        objects.put(key, bytes);
        throw unavailable("put " + key);
      }
      case TRAVELS -> {
        faults.travel(() -> objects.put(key, bytes));
        throw unavailable("put " + key);
      }
    }
  }

  @Override
  public Optional<StoredBytes> get(String key, ByteRange range) {
    before("get", key);
    return objects.get(key, range);
  }

  @Override
  public Optional<ObjectMeta> head(String key) {
    before("head", key);
    return objects.head(key);
  }

  @Override
  public List<ObjectMeta> list(String prefix, String startAfter, int max) {
    before("list", prefix);
    return objects.list(prefix, startAfter, max);
  }

  @Override
  public void delete(Collection<String> keys) {
    before("delete", String.join(" ", keys));
    objects.delete(keys);
  }

  private void before(String what, String key) {
    schedule.point(what + " " + key);
    if (faults.readFails(what)) {
      throw unavailable(what + " " + key);
    }
  }

  private static IcewalException unavailable(String what) {
    return new IcewalException(ErrorKind.UNAVAILABLE, "simulated: " + what);
  }

  @Override
  public String describe() {
    return "simulated store";
  }

  @Override
  public void close() {}
}
