package org.rddp.ipc.linux;

/**
 * A file, as stat(2) tells it.
 *
 * @param device the file system's
 * @param inode the file's in the file system
 * @param unique whether the kernel gives the number to no other file as long as this one is open or
 *     mapped. It does not for memfds of huge pages, whose numbers have 32 bits and begin again;
 *     those of other memfds have 64
 */
public record FileId(long device, long inode, boolean unique) {}
