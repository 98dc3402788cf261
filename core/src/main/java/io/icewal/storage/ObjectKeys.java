package io.icewal.storage;

/// The rules for object keys, the same for every store, so that what one store takes all others
/// take too: see [ObjectStore].
public final class ObjectKeys {
  public static final int KEY_CHARS_MAX = 512;

  private ObjectKeys() {}

  /// Checks a key and returns it.
  ///
  /// @throws IllegalArgumentException if the key breaks a rule
  public static String check(String key) {
    if (key.isEmpty() || key.length() > KEY_CHARS_MAX) {
      throw new IllegalArgumentException(
          "an object key has 1 to " + KEY_CHARS_MAX + " characters, got " + key.length());
    }
    checkCharacters(key);
    for (String segment : key.split("/", -1)) {
      if (segment.isEmpty() || segment.equals(".") || segment.equals("..")) {
        throw new IllegalArgumentException(
            "object key '" + key + "' has an empty, '.' or '..' segment");
      }
    }
    return key;
  }

  /// Checks the beginning of a key (which may end anywhere, and may be empty) and returns it.
  ///
  /// @throws IllegalArgumentException if no key can begin so
  public static String checkPrefix(String prefix) {
    if (prefix.length() > KEY_CHARS_MAX) {
      throw new IllegalArgumentException(
          "a prefix has at most " + KEY_CHARS_MAX + " characters, got " + prefix.length());
    }
    checkCharacters(prefix);
    if (prefix.startsWith("/") || prefix.contains("//") || ("/" + prefix).contains("/../")) {
      throw new IllegalArgumentException("no object key can begin with '" + prefix + "'");
    }
    return prefix;
  }

  private static void checkCharacters(String key) {
    for (int i = 0; i < key.length(); i++) {
      if (!isAllowed(key.charAt(i))) {
        throw new IllegalArgumentException(
            "object key '" + key + "' has a character outside [A-Za-z0-9._/-] at " + i);
      }
    }
  }

  private static boolean isAllowed(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        // '-', '.', '/' and the digits are neighbours in ASCII.
        || (c >= '-' && c <= '9')
        || c == '_';
  }
}
