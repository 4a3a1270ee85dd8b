package org.rddp.cli;

import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Prints usage errors (exit code 2) and failures of commands (exit code 1). */
final class ErrorReporter implements IExecutionExceptionHandler, IParameterExceptionHandler {
  private static final boolean TRACES = System.getenv("RDDP_STACK_TRACES") != null;

  @Override
  public int handleParseException(ParameterException e, String[] arguments) {
    CommandLine command = e.getCommandLine();
    printError(command, e.getMessage());
    UnmatchedArgumentException.printSuggestions(e, command.getErr());
    command
        .getErr()
        .println("Try '" + command.getCommandSpec().qualifiedName() + " --help' for usage.");
    return command.getCommandSpec().exitCodeOnInvalidInput();
  }

  @Override
  public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
    printError(command, describe(e));
    if (TRACES) {
      e.printStackTrace(command.getErr());
    }
    return command.getCommandSpec().exitCodeOnExecutionException();
  }

  private static void printError(CommandLine command, String message) {
    command.getErr().println(command.getColorScheme().errorText("rddp: " + message));
  }

  private static String describe(Exception e) {
    if (e instanceof CommandFailedException) {
      return e.getMessage();
    }
    if (e instanceof FileSystemException failure && failure.getReason() == null) {
      return describe(failure);
    }
    String message = e.getMessage();
    return message == null || message.isBlank()
        ? "unexpected " + e + "; set RDDP_STACK_TRACES=1 to see where"
        : message;
  }

  /** The message of a FileSystemException without a reason is only the file name. */
  private static String describe(FileSystemException e) {
    return switch (e) {
      case NoSuchFileException missing -> "there is no file or directory " + e.getFile();
      case AccessDeniedException denied -> "no permission to use " + e.getFile();
      case FileAlreadyExistsException existing -> e.getFile() + " already exists";
      default -> e.getFile() + ": " + e.getClass().getSimpleName();
    };
  }
}
