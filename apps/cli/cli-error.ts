/**
 * A failure that its message explains fully: the command prints the one line, without a stack, and exits with 1.
 * The message says what is wrong and what to do about it.
 */
export class CliError extends Error {
  override readonly name = 'CliError';
}
