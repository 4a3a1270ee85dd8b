/**
 * What TCP keeps per stack or connection: timer wheel, budgets, and segments and ranges received
 * out of order.
 */
package org.rddp.tcp.storage;
