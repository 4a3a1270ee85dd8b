package org.rddp.daemon.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import com.google.gson.JsonObject;
import java.util.List;
import org.slf4j.event.KeyValuePair;

/** One JSON object in each line. */
final class JsonEncoder extends LineEncoder {
  @Override
  List<String> lines(ILoggingEvent event) {
    JsonObject json = new JsonObject();
    json.addProperty("time", time(event));
    json.addProperty("level", level(event));
    json.addProperty("logger", event.getLoggerName());
    json.addProperty("message", escaped(event.getFormattedMessage()));
    if (event.getKeyValuePairs() != null) {
      for (KeyValuePair pair : event.getKeyValuePairs()) {
        if (pair.value instanceof Number number) {
          json.addProperty(pair.key, number);
        } else {
          json.addProperty(pair.key, escaped(pair.value));
        }
      }
    }
    if (event.getThrowableProxy() != null) {
      json.addProperty("stack_trace", String.join("\n", trace(event)));
    }
    return List.of(json.toString());
  }
}
