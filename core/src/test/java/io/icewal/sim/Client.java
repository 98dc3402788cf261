package io.icewal.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/// One ordered stream of batches into one table, by the rules that clients are told: anything but
/// an ack ends the stream, and all unanswered batches are sent again, in order, through any writer.
/// A client without a producer id gives its unanswered batches up instead.
final class Client {
  private static final int REFUSALS_MAX = 20;

  final String name;
  private final List<Batch> batches;
  private final boolean named;
  private final int writers;
  private final RandomGenerator random;
  private int answered;
  private int sent;
  private int writer;
  private int stream;
  private int refusals;

  Client(String name, List<Batch> batches, boolean named, int writers, RandomGenerator random) {
    this.name = name;
    this.batches = batches;
    this.named = named;
    this.writers = writers;
    this.random = random;
    this.writer = random.nextInt(writers);
  }

  boolean isDone() {
    return answered == batches.size();
  }

  List<Batch> batches() {
    return batches;
  }

  int writer() {
    return writer;
  }

  /// Which connection this is: answers that come on an older one are not waited for any more.
  int stream() {
    return stream;
  }

  /// The next batches on this connection.
  List<Batch> send(int max) {
    List<Batch> next = new ArrayList<>(batches.subList(sent, Math.min(batches.size(), sent + max)));
    sent += next.size();
    return next;
  }

  /// An ack; on an old connection it is true all the same, but the client does not hear it.
  void acked(Batch batch, int onStream) {
    batch.acked = true;
    if (onStream == stream) {
      answered = batches.indexOf(batch) + 1;
    }
  }

  /// The stream was refused. A client tries again, but not for ever.
  ///
  /// @param mayPass whether the reason may pass
  void refused(int onStream, boolean mayPass) {
    disconnected(onStream);
    if (!mayPass || ++refusals > REFUSALS_MAX) {
      answered = batches.size();
      sent = answered;
      stream++;
    }
  }

  /// The connection ends without answers to what is unanswered.
  void disconnected(int onStream) {
    if (onStream != stream) {
      return;
    }
    stream++;
    if (!named) {
      answered = sent;
    }
    sent = answered;
    writer = random.nextInt(writers);
  }
}
