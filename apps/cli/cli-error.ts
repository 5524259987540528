/**
 * An error whose message says what is wrong and what to do about it. The command prints only this message, without a stack, and exits
 * with code 1.
 */
export class CliError extends Error {
  override readonly name = 'CliError';
}
