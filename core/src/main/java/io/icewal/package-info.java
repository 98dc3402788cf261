/// icewal's core: everything but the services and the engines' connectors.
@NullMarked
package io.icewal;

import org.jspecify.annotations.NullMarked;
