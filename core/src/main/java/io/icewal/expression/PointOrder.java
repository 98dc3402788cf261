package io.icewal.expression;

import io.icewal.expression.Values.BytesPoint;
import io.icewal.expression.Values.DecimalPoint;
import io.icewal.expression.Values.FloatingPoint;
import io.icewal.expression.Values.IntegerPoint;
import io.icewal.expression.Values.Point;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The order of the literals of one column, the same as that of its values.
final class PointOrder {
  private PointOrder() {}

  /// Those of the literals that a value can be equal to, sorted, each once.
  static List<Point> sorted(List<Point> points) {
    List<Point> sorted = new ArrayList<>(points.stream().filter(PointOrder::canEqual).toList());
    sorted.sort(PointOrder::order);
    List<Point> distinct = new ArrayList<>();
    for (Point point : sorted) {
      if (distinct.isEmpty() || order(distinct.get(distinct.size() - 1), point) != 0) {
        distinct.add(point);
      }
    }
    return distinct;
  }

  private static boolean canEqual(Point point) {
    if (point instanceof IntegerPoint integer) {
      return integer.whenEqual() == 0;
    }
    if (point instanceof DecimalPoint decimal) {
      return decimal.whenEqual() == 0;
    }
    return !(point instanceof FloatingPoint floating) || !Double.isNaN(floating.value());
  }

  static int order(Point left, Point right) {
    if (left instanceof IntegerPoint a) {
      return Long.compare(a.floor(), ((IntegerPoint) right).floor());
    }
    if (left instanceof DecimalPoint a) {
      return a.floor().compareTo(((DecimalPoint) right).floor());
    }
    if (left instanceof FloatingPoint a) {
      // Adding zero makes both zeros one.
      return Double.compare(a.value() + 0.0, ((FloatingPoint) right).value() + 0.0);
    }
    return Arrays.compareUnsigned(((BytesPoint) left).bytes(), ((BytesPoint) right).bytes());
  }
}
