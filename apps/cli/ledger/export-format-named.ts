import {
  LEDGER_FILE_FORMATS,
  ledgerFileOf,
  type LedgerExtract,
  type LedgerFileFormatName,
} from '#libs/outputs/books';
import { CliError } from '../cli-error.js';

/** Returns the function that writes an extract in the format with this name, in pieces. Throws a {@link CliError} if there is no such format. */
export function exportFormatNamed(name: string): (extract: LedgerExtract) => Iterable<string> {
  if (!Object.hasOwn(LEDGER_FILE_FORMATS, name))
    throw new CliError(`--format "${name}" must be one of ${Object.keys(LEDGER_FILE_FORMATS).join(', ')}`);
  const format = LEDGER_FILE_FORMATS[name as LedgerFileFormatName];
  return (extract) => ledgerFileOf(format, extract);
}
