/** The demonstration: daemons, programs and measurements, in processes of their own. */
package org.rddp.demo;
