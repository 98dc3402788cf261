package io.icewal.cli;

import picocli.CommandLine.IVersionProvider;

/// The version in the jar's manifest.
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    String version = IcewalMain.class.getPackage().getImplementationVersion();
    return new String[] {"icewal " + (version == null ? "(unpackaged)" : version)};
  }
}
