package io.icewal.sim;

import java.util.Random;
import java.util.random.RandomGenerator;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.ValidationException;

/// What is around the processes of icewal in a run: the network and another engine.
final class Surroundings {
  private final World world;

  Surroundings(World world) {
    this.world = world;
  }

  /// Clients that lose patience, and the network, where requests travel.
  void network() {
    RandomGenerator random = new Random(world.random.nextLong());
    while (!world.clientsDone()) {
      world.schedule.point("network");
      if (random.nextInt(20) == 0) {
        world.faults.landOne();
      }
      if (random.nextInt(1000) < world.settings.hazards().impatiencePerMille()) {
        Client client = world.clients.get(random.nextInt(world.clients.size()));
        client.disconnected(client.stream());
      }
    }
  }

  /// Another engine.
  void foreign() {
    RandomGenerator random = new Random(world.random.nextLong());
    ForeignEngine engine = new ForeignEngine(random, world.catalog, world.settings.evolves());
    TableLifecycle lifecycle = new TableLifecycle(random, world, engine);
    Processes.run(
        world.schedule,
        () -> {
          while (!world.clientsDone()) {
            world.schedule.point("foreign engine waits");
            TableTruth truth =
                random.nextInt(world.settings.foreignOneIn()) == 0 ? world.anyTable(random) : null;
            if (truth != null) {
              step(engine, lifecycle, truth, random);
            }
          }
        });
  }

  private void step(
      ForeignEngine engine, TableLifecycle lifecycle, TableTruth truth, RandomGenerator random) {
    try {
      if (truth.isReplaced() || (world.settings.lifecycle() && random.nextBoolean())) {
        lifecycle.step(truth);
      } else {
        engine.step(truth, world.takeTokens());
      }
    } catch (ValidationException | NoSuchTableException | AlreadyExistsException e) {
      // It lost against another commit, and its statement fails: that is its user's matter.
      world.faults.count("foreign conflict");
    }
  }
}
