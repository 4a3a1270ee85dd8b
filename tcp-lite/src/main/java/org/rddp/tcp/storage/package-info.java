/** Data structures of TCP: connection table, timer wheel, budgets, ranges and segments. */
package org.rddp.tcp.storage;
