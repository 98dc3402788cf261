package io.icewal.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ResultTypeTest {
  @Test
  void nestedTypesAreReadFromTheirNames() {
    ResultType type =
        ResultType.of(
            "map(varchar(3),row(a bigint,timestamp timestamp(6) with time zone,array(time(9)),"
                + "interval day to second,d decimal(10,2)))");

    assertThat(type.name()).isEqualTo("map");
    assertThat(type.argument(0, 2).isString()).isTrue();
    ResultType row = type.argument(1, 2);
    assertThat(row.arguments().stream().map(ResultType::name))
        .containsExactly(
            "bigint", "timestamp with time zone", "array", "interval day to second", "decimal");
    assertThat(row.argument(1, 5).digits()).isEqualTo(6);
    assertThat(row.argument(1, 5).isZoned()).isTrue();
    assertThat(row.argument(2, 5).argument(0, 1)).isEqualTo(ResultType.of("time(9)"));
  }

  @Test
  void whatIsNotUnderstoodIsUnknown() {
    assertThat(ResultType.of("row(a b, c bigint,)")).isEqualTo(ResultType.UNKNOWN);
    assertThat(ResultType.of("array(bigint")).isEqualTo(ResultType.UNKNOWN);
    assertThat(ResultType.of("array(bigint)").argument(0, 2)).isEqualTo(ResultType.UNKNOWN);
  }
}
