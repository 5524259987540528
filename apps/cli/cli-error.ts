/**
 * An error whose message describes the problem and its solution. The command prints only this message, without a stack, and exits with code
 * 1.
 */
export class CliError extends Error {
  override readonly name = 'CliError';
}
