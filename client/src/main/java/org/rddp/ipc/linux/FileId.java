package org.rddp.ipc.linux;

/**
 * A file, as stat(2) tells it: no other has both numbers as long as this one is open or mapped.
 *
 * @param device the file system's
 * @param inode the file's in the file system
 */
public record FileId(long device, long inode) {}
