package org.rddp.bench.layers;

import java.io.IOException;
import java.io.InputStream;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Loads our classes again, with {@link Counted} in place of the methods of the JDK and of Agrona
 * that copy memory or make native functions callable.
 */
final class CountingLoader extends ClassLoader {
  private static final String OURS = "org.rddp.";
  private static final String COUNTED = Counted.class.getName();

  /** Owner and name of what is counted. */
  private static final Set<String> REPLACED =
      Set.of(
          "java/lang/foreign/MemorySegment.copy",
          "java/lang/foreign/MemorySegment.copyFrom",
          "java/lang/foreign/Linker.downcallHandle",
          "org/agrona/UnsafeApi.copyMemory");

  /** A loader that takes all other classes from this one. */
  CountingLoader() {
    super(CountingLoader.class.getClassLoader());
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(OURS)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : define(name);
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (file == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] octets = file.readAllBytes();
      byte[] ours = name.equals(COUNTED) ? octets : rewritten(octets);
      return defineClass(name, ours, 0, ours.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  private static byte[] rewritten(byte[] octets) {
    ClassReader reader = new ClassReader(octets);
    ClassWriter writer = new ClassWriter(reader, 0);
    reader.accept(
        new ClassVisitor(Opcodes.ASM9, writer) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] exceptions) {
            return new Calls(super.visitMethod(access, name, descriptor, signature, exceptions));
          }
        },
        0);
    return writer.toByteArray();
  }

  /** The calls of a method. An instance method gets its object as the first argument. */
  private static final class Calls extends MethodVisitor {
    Calls(MethodVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      if (!REPLACED.contains(owner + "." + name)) {
        super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        return;
      }
      String all =
          opcode == Opcodes.INVOKESTATIC
              ? descriptor
              : "(L" + owner + ";" + descriptor.substring(1);
      super.visitMethodInsn(Opcodes.INVOKESTATIC, COUNTED.replace('.', '/'), name, all, false);
    }
  }
}
