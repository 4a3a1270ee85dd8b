package org.rddp.cli;

import com.google.gson.JsonObject;
import java.util.List;

/**
 * What a daemon has at one moment, for {@code rddp top}.
 *
 * @param connections of the sessions
 * @param tenants that share what the interfaces send; empty if nobody does
 */
record TopSample(List<JsonObject> connections, List<JsonObject> tenants) {}
