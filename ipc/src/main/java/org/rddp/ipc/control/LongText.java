package org.rddp.ipc.control;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks a text of up to {@link MessageBuffer#MAX_LONG_TEXT} octets; others have up to 1024. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
@interface LongText {}
