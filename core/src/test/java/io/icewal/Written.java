package io.icewal;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;

/// Classes that stand in our own source files, not in generated ones.
final class Written extends DescribedPredicate<JavaClass> {
  Written() {
    super("are written by hand");
  }

  @Override
  public boolean test(JavaClass type) {
    return !type.isAssignableTo(com.google.protobuf.GeneratedMessage.class)
        && !type.getName().contains("$$")
        && !type.getFullName().contains("OuterClass")
        && !type.getPackageName().contains(".proto");
  }
}
