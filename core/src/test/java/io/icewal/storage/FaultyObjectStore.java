package io.icewal.storage;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/// A store with faults: by script ([#script], [#before]) or by chance ([#rate]).
///
/// - [Toxic#FAIL_BEFORE]: the request is lost; nothing happens.
/// - [Toxic#FAIL_AFTER]: the request takes effect; its answer is lost.
/// - [Toxic#DELAY]: the answer is lost, and the request (a put or a delete) travels on until
///   [#land] lets it take effect, at any later time, or never. A read is as if lost.
///
/// A lost answer is [PutOutcome.Unknown] for a put if absent, and an UNAVAILABLE exception for
/// every other request. Thread-safe; scripted actions run in the calling thread.
public final class FaultyObjectStore implements ObjectStore {
  /// What may happen to a request.
  public enum Toxic {
    FAIL_BEFORE,
    FAIL_AFTER,
    DELAY
  }

  private record Script(StoreOp op, Predicate<String> key, Toxic toxic) {}

  private record Action(StoreOp op, Predicate<String> key, Runnable run) {}

  private record Travelling(StoreOp op, String key, Runnable request) {}

  private final ObjectStore inner;
  private final RandomGenerator random;
  private final List<Script> scripts = new ArrayList<>();
  private final List<Action> actions = new ArrayList<>();
  private final List<Travelling> travelling = new ArrayList<>();
  private final Map<Toxic, Double> rates = new EnumMap<>(Toxic.class);
  private final Map<Toxic, Integer> met = new EnumMap<>(Toxic.class);

  /// @param random decides by chance, where rates are set
  public FaultyObjectStore(ObjectStore inner, RandomGenerator random) {
    this.inner = inner;
    this.random = random;
  }

  /// The next request of this kind whose key fits meets this toxic, once.
  public synchronized void script(StoreOp op, Predicate<String> key, Toxic toxic) {
    scripts.add(new Script(op, key, toxic));
  }

  /// Right before the next request of this kind whose key fits, this happens, once.
  public synchronized void before(StoreOp op, Predicate<String> key, Runnable action) {
    actions.add(new Action(op, key, action));
  }

  /// From now on, every request meets this toxic with this probability.
  public synchronized void rate(Toxic toxic, double probability) {
    rates.put(toxic, probability);
  }

  /// How many puts and deletes are travelling.
  public synchronized int travelling() {
    return travelling.size();
  }

  /// How often each toxic was met.
  public synchronized Map<Toxic, Integer> met() {
    return new EnumMap<>(met);
  }

  /// A travelling request takes effect; the oldest has index 0.
  public void land(int index) {
    take(index).request().run();
  }

  /// All travelling requests take effect, oldest first.
  public void landAll() {
    while (travelling() > 0) {
      land(0);
    }
  }

  /// A travelling request is lost for good.
  public void drop(int index) {
    take(index);
  }

  private synchronized Travelling take(int index) {
    return travelling.remove(index);
  }

  @Override
  public PutOutcome putIfAbsent(String key, List<byte[]> parts) {
    List<byte[]> kept = parts.stream().map(byte[]::clone).toList();
    return request(
        StoreOp.PUT_IF_ABSENT,
        key,
        () -> inner.putIfAbsent(key, kept),
        cause -> new PutOutcome.Unknown(cause));
  }

  @Override
  public void put(String key, byte[] bytes) {
    byte[] kept = bytes.clone();
    request(
        StoreOp.PUT,
        key,
        () -> {
          inner.put(key, kept);
          return key;
        },
        FaultyObjectStore::fail);
  }

  @Override
  public Optional<StoredBytes> get(String key, ByteRange range) {
    return request(StoreOp.GET, key, () -> inner.get(key, range), FaultyObjectStore::fail);
  }

  @Override
  public Optional<ObjectMeta> head(String key) {
    return request(StoreOp.HEAD, key, () -> inner.head(key), FaultyObjectStore::fail);
  }

  @Override
  public List<ObjectMeta> list(String prefix, String startAfter, int max) {
    return request(
        StoreOp.LIST, prefix, () -> inner.list(prefix, startAfter, max), FaultyObjectStore::fail);
  }

  @Override
  public void delete(Collection<String> keys) {
    List<String> kept = List.copyOf(keys);
    request(
        StoreOp.DELETE,
        kept.isEmpty() ? "" : kept.get(0),
        () -> {
          inner.delete(kept);
          return "";
        },
        FaultyObjectStore::fail);
  }

  private interface Request<A> {
    A run();
  }

  private interface Lost<A> {
    A answer(IcewalException cause);
  }

  private static <A> A fail(IcewalException cause) {
    throw cause;
  }

  private <A> A request(StoreOp op, String key, Request<A> request, Lost<A> lost) {
    act(op, key);
    Optional<Toxic> toxic = toxic(op, key);
    if (toxic.isEmpty()) {
      return request.run();
    }
    IcewalException cause =
        new IcewalException(ErrorKind.UNAVAILABLE, toxic.get() + " met " + op + " of " + key);
    switch (toxic.get()) {
      case FAIL_BEFORE -> {}
      case FAIL_AFTER -> request.run();
      case DELAY -> travel(new Travelling(op, key, request::run));
    }
    return lost.answer(cause);
  }

  private void act(StoreOp op, String key) {
    Runnable action = null;
    synchronized (this) {
      for (Iterator<Action> all = actions.iterator(); all.hasNext() && action == null; ) {
        Action next = all.next();
        if (next.op() == op && next.key().test(key)) {
          action = next.run();
          all.remove();
        }
      }
    }
    if (action != null) {
      action.run();
    }
  }

  private synchronized void travel(Travelling request) {
    if (request.op() != StoreOp.GET
        && request.op() != StoreOp.HEAD
        && request.op() != StoreOp.LIST) {
      travelling.add(request);
    }
  }

  private synchronized Optional<Toxic> toxic(StoreOp op, String key) {
    Optional<Toxic> toxic = scripted(op, key).or(this::byChance);
    toxic.ifPresent(some -> met.merge(some, 1, Integer::sum));
    return toxic;
  }

  private Optional<Toxic> scripted(StoreOp op, String key) {
    for (Iterator<Script> all = scripts.iterator(); all.hasNext(); ) {
      Script next = all.next();
      if (next.op() == op && next.key().test(key)) {
        all.remove();
        return Optional.of(next.toxic());
      }
    }
    return Optional.empty();
  }

  private Optional<Toxic> byChance() {
    for (Map.Entry<Toxic, Double> rate : rates.entrySet()) {
      if (rate.getValue() > 0 && random.nextDouble() < rate.getValue()) {
        return Optional.of(rate.getKey());
      }
    }
    return Optional.empty();
  }

  @Override
  public String describe() {
    return "faulty " + inner.describe();
  }

  @Override
  public void close() {
    inner.close();
  }
}
