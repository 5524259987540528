import { CliError } from './cli-error.js';

/** Parses the count that an option was given. Throws a {@link CliError} that names the option if the text is not a whole number. */
export function parseCount(option: string, text: string): number {
  // The kernel's parser is not used, because a command class must not load a library before the command runs.
  if (!/^\d{1,9}$/.test(text)) throw new CliError(`${option} "${text}" must be a whole number, such as 100`);
  return Number(text);
}
