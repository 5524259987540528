import { CliError } from './cli-error.js';

/** The count that an option is given. Throws a {@link CliError} that names the option if it is none. */
export function parseCount(option: string, text: string): number {
  // Not by the kernel: a command loads no library before it runs.
  if (!/^\d{1,9}$/.test(text)) throw new CliError(`${option} "${text}" must be a whole number, such as 100`);
  return Number(text);
}
