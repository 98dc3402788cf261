package io.icewal.protocol;

/// Texts on their way over the wire.
final class Texts {
  private static final char REPLACEMENT = '\uFFFD';

  private Texts() {}

  static boolean isWellFormed(String text) {
    return tornAt(text, 0) < 0;
  }

  /// The text with a replacement character for each half of a surrogate pair: those have no UTF-8.
  static String wellFormed(String text) {
    int torn = tornAt(text, 0);
    if (torn < 0) {
      return text;
    }
    StringBuilder whole = new StringBuilder(text);
    for (; torn >= 0; torn = tornAt(text, torn + 1)) {
      whole.setCharAt(torn, REPLACEMENT);
    }
    return whole.toString();
  }

  private static int tornAt(String text, int from) {
    for (int i = from; i < text.length(); i++) {
      if (!Character.isSurrogate(text.charAt(i))) {
        continue;
      }
      if (!Character.isSupplementaryCodePoint(text.codePointAt(i))) {
        return i;
      }
      i++;
    }
    return -1;
  }

  /// As much of a well-formed text as takes no more bytes on the wire, where a character beyond
  /// ASCII or one that JSON escapes takes more than one; an ellipsis tells that it was cut.
  static String cut(String text, int bytesMax) {
    int bytes = 0;
    for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
      bytes += bytesOf(text.codePointAt(i));
      if (bytes > bytesMax) {
        return text.substring(0, i) + "…";
      }
    }
    return text;
  }

  private static int bytesOf(int c) {
    if (c < 0x80) {
      return c < ' ' ? 6 : c == '"' || c == '\\' ? 2 : 1;
    }
    return c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  }
}
