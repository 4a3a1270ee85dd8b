package org.rddp.ipc.control;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The type number of a {@link ControlMessage} in its header. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@interface MessageType {
  /**
   * 1 to 31, and from 61 on: from programs, 32 to 60: replies, from {@link
   * ControlMessage#FIRST_EVENT} on: events.
   */
  int value();
}
