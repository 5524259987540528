import { CliError } from '../../cli-error.js';
import { beancount } from './beancount.js';
import { csv } from './csv.js';
import type { Format } from './format.js';
import { hledger } from './hledger.js';
import { json } from './json.js';

const FORMATS: Readonly<Record<string, Format>> = { hledger, beancount, csv, json };

/** Returns the export format with this name. Throws a {@link CliError} if there is none. */
export function formatNamed(name: string): Format {
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (!format) throw new CliError(`--format "${name}" must be one of ${Object.keys(FORMATS).join(', ')}`);
  return format;
}
