package io.icewal.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Decides who moves next.
///
/// 1. Every actor has a thread that waits for its turn.
/// 2. [#run] picks a waiting actor by the seed and lets it go.
/// 3. The actor runs to its next [#point] and there hands the turn back, or, drawn by the seed,
///    keeps it, sleeps for many turns (a stopped process), or crashes.
/// 4. The run ends when all actors are done, or when one fails: then every other one is crashed.
///
/// Threads that are not actors (Iceberg's own pools, which an actor waits for) pass every point.
final class Schedule {
  /// System property: so many of the last calls are told when a run fails.
  static final String TRACE_PROPERTY = "icewal.simulation.trace";

  private static final int SLEEP_KINDS = 17;

  private final RandomGenerator random;
  private final List<Actor> actors = new ArrayList<>();
  private final Semaphore back = new Semaphore(0);
  private final Map<String, Integer> crashes = new HashMap<>();
  private final long stepsMax;
  private final int traceCalls = Integer.getInteger(TRACE_PROPERTY, 0);
  private final int[] sleepPerMille = new int[SLEEP_KINDS];
  private final int sleepTurnsMax;
  private final ArrayDeque<String> trace = new ArrayDeque<>();
  private volatile @Nullable Throwable failure;
  private volatile boolean calm;
  private long steps;

  /// One actor's process: name, thread and turn.
  private static final class Actor {
    final String name;
    final Thread thread;
    final Semaphore turn = new Semaphore(0);
    final int crashPerMille;
    final int keepPercent;
    boolean done;
    boolean dying;
    long sleepUntil;

    Actor(String name, Thread thread, int crashPerMille, int keepPercent) {
      this.name = name;
      this.thread = thread;
      this.crashPerMille = crashPerMille;
      this.keepPercent = keepPercent;
    }
  }

  Schedule(RandomGenerator random, long stepsMax, SimSettings.Hazards hazards) {
    this.random = random;
    this.stepsMax = stepsMax;
    this.sleepTurnsMax = hazards.sleepTurnsMax();
    // In half of the runs most kinds of calls are slept at rarely, some very often: which ones is
    // the seed's matter.
    boolean even = random.nextBoolean();
    for (int kind = 0; kind < SLEEP_KINDS; kind++) {
      int often = 1 << (random.nextInt(4) == 0 ? 1 + random.nextInt(4) : 0);
      sleepPerMille[kind] =
          even ? hazards.sleepPerMille() : Math.min(400, hazards.sleepPerMille() * often / 2);
    }
  }

  /// Adds an actor before [#run].
  ///
  /// @param crashPerMille how many of a thousand points its process dies at
  /// @param keepPercent how many of a hundred points it passes without handing the turn back
  void spawn(String name, int crashPerMille, int keepPercent, Runnable body) {
    Actor[] self = new Actor[1];
    Thread thread = new Thread(() -> live(self[0], body), "sim-" + name);
    thread.setDaemon(true);
    self[0] = new Actor(name, thread, crashPerMille, keepPercent);
    actors.add(self[0]);
  }

  private void live(Actor self, Runnable body) {
    self.turn.acquireUninterruptibly();
    try {
      body.run();
    } catch (SimCrash crash) {
      // The run is over; the actor was told to die.
    } catch (Throwable t) {
      fail(new AssertionError("actor " + self.name + ": " + t, t));
    } finally {
      self.done = true;
      back.release();
    }
  }

  /// Makes the run fail with the first of the given reasons.
  void fail(Throwable reason) {
    if (failure == null) {
      failure = reason;
    }
  }

  /// The oracle looks at something. What it finds is the reason of the run's failure, whatever else
  /// comes of it.
  void observe(Runnable look) {
    try {
      look.run();
    } catch (RuntimeException | Error e) {
      fail(e);
      throw e;
    }
  }

  /// The first reason to fail; null if there is none.
  @Nullable Throwable failure() {
    return failure;
  }

  /// The last calls, as many as [#TRACE_PROPERTY] says.
  String trace() {
    return trace.isEmpty() ? "" : "\nlast calls:\n  " + String.join("\n  ", trace);
  }

  /// From now on nobody crashes or sleeps: the run is to come to rest.
  void calm() {
    calm = true;
  }

  boolean isCalm() {
    return calm;
  }

  long steps() {
    return steps;
  }

  Map<String, Integer> crashes() {
    return crashes;
  }

  /// Runs all actors to their end.
  ///
  /// @throws AssertionError if one of them failed, or if they did not end in `stepsMax` turns
  void run() {
    actors.forEach(actor -> actor.thread.start());
    while (true) {
      List<Actor> waiting = waiting();
      if (waiting.isEmpty()) {
        break;
      }
      if (steps > stepsMax) {
        fail(new AssertionError("no rest after " + steps + " steps"));
      }
      Actor next = waiting.get(random.nextInt(waiting.size()));
      next.turn.release();
      back.acquireUninterruptibly();
    }
    Throwable reason = failure;
    if (reason != null) {
      throw new AssertionError(reason.getMessage(), reason);
    }
  }

  private List<Actor> waiting() {
    List<Actor> alive = actors.stream().filter(actor -> !actor.done).toList();
    List<Actor> awake = alive.stream().filter(actor -> actor.sleepUntil <= steps).toList();
    if (!awake.isEmpty() || alive.isEmpty()) {
      return awake;
    }
    alive.forEach(actor -> actor.sleepUntil = 0);
    return alive;
  }

  /// A place between two calls, where others may move and this actor may die.
  ///
  /// @param where for the trace
  void point(String where) {
    Actor self = self();
    if (self == null) {
      return;
    }
    if (self.dying || failure != null) {
      throw new SimCrash(where);
    }
    steps++;
    note(self, where);
    if (!calm) {
      draw(self, where);
    }
    if (self.sleepUntil > steps || random.nextInt(100) >= self.keepPercent) {
      back.release();
      self.turn.acquireUninterruptibly();
    }
    if (failure != null) {
      throw new SimCrash(where);
    }
  }

  private void note(Actor self, String where) {
    if (traceCalls > 0) {
      trace.add(steps + " " + self.name + ": " + where);
      if (trace.size() > traceCalls) {
        trace.remove();
      }
    }
  }

  private void draw(Actor self, String where) {
    int dice = random.nextInt(1000);
    if (dice < self.crashPerMille) {
      self.dying = true;
      crashes.merge(self.name, 1, Integer::sum);
      throw new SimCrash(where);
    }
    if (dice >= 1000 - sleepPerMille[kind(where)]) {
      self.sleepUntil = steps + random.nextInt(sleepTurnsMax);
    }
  }

  /// Calls of one kind are those of one name on objects in one folder.
  private static int kind(String where) {
    int path = where.indexOf('/');
    int folder = path < 0 ? -1 : where.indexOf('/', path + 1);
    int end = folder < 0 ? -1 : where.indexOf('/', folder + 1);
    String name = where.substring(0, path < 0 ? where.length() : path);
    String kind = end < 0 ? name : name + where.substring(folder, end);
    return Math.floorMod(kind.hashCode() * 31, SLEEP_KINDS);
  }

  /// The calling actor got no answer, which takes long to notice: at its next point it sleeps, in
  /// one of two cases.
  void waitInVain() {
    Actor self = self();
    if (self != null && !calm && random.nextBoolean()) {
      self.sleepUntil = steps + 1 + random.nextInt(sleepTurnsMax);
    }
  }

  /// Called by an actor that was crashed, when its new process starts.
  void reborn() {
    Actor self = self();
    if (self == null || !self.dying) {
      throw new IllegalStateException("only a crashed actor is born again");
    }
    if (failure != null) {
      throw new SimCrash("end of run");
    }
    self.dying = false;
  }

  /// Name of the actor that is calling, or the empty string.
  String who() {
    Actor self = self();
    return self == null ? "" : self.name;
  }

  private @Nullable Actor self() {
    Thread current = Thread.currentThread();
    for (Actor actor : actors) {
      if (actor.thread == current) {
        return actor;
      }
    }
    return null;
  }
}
