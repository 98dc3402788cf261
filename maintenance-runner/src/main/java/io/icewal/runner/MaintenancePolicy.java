package io.icewal.runner;

import io.icewal.config.MaterializeSettings;
import io.icewal.materialize.MaterializePolicy;
import io.icewal.wal.TrimLimits;
import java.time.Duration;

/// When what is due.
///
/// @param materialize when a table is
/// @param trim when a trim round is, and what it keeps
/// @param pollInterval how often the logs are looked at
/// @param boundaryInterval how often a log's boundary is looked at while nothing happens
/// @param cleanInterval how often what lies below a boundary is deleted
/// @param backoffMin the first pause after a failure; it doubles with each further one
/// @param backoffMax the longest pause
/// @param parkFailures a table is parked after so many failures in a row ...
/// @param parkFailing ... over at least this time
/// @param dropAge rows of a table that is gone are given up when they are this old
public record MaintenancePolicy(
    MaterializePolicy materialize,
    TrimLimits trim,
    Duration pollInterval,
    Duration boundaryInterval,
    Duration cleanInterval,
    Duration backoffMin,
    Duration backoffMax,
    int parkFailures,
    Duration parkFailing,
    Duration dropAge) {
  /// What has been found to serve well.
  public static MaintenancePolicy of(MaterializePolicy materialize, TrimLimits trim) {
    return new MaintenancePolicy(
        materialize,
        trim,
        /* pollInterval= */ Duration.ofSeconds(1),
        /* boundaryInterval= */ Duration.ofSeconds(30),
        /* cleanInterval= */ Duration.ofMinutes(10),
        /* backoffMin= */ Duration.ofSeconds(1),
        /* backoffMax= */ Duration.ofMinutes(5),
        /* parkFailures= */ 10,
        /* parkFailing= */ Duration.ofHours(1),
        /* dropAge= */ Duration.ofDays(7));
  }

  /// The configured ages and sizes.
  static MaterializePolicy materialize(MaterializeSettings settings) {
    MaterializePolicy standard = MaterializePolicy.DEFAULT;
    return new MaterializePolicy(
        settings.dueBytes(),
        standard.keys(),
        settings.dueAge(),
        standard.ageBytes(),
        settings.trickleDueAge(),
        standard.interval());
  }

  /// The pause after so many failures in a row.
  Duration backoff(int failures) {
    Duration pause = backoffMin.multipliedBy(1L << Math.min(failures - 1, 20));
    return pause.compareTo(backoffMax) < 0 ? pause : backoffMax;
  }
}
