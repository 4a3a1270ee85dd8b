/** The demonstration: daemons, programs, and what they measure, in processes of their own. */
package org.rddp.demo;
