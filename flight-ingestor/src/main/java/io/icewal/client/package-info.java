/// The Java client: [IcewalClient] puts rows, reads them, and manages tables. It is what the
/// command line is made of, and needs nothing of a server but its address.
@NullMarked
package io.icewal.client;

import org.jspecify.annotations.NullMarked;
