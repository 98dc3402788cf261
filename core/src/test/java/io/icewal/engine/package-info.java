@org.jspecify.annotations.NullUnmarked
package io.icewal.engine;
