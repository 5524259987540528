import { CliError } from '../../cli-error.js';
import { beancountFormat } from './beancount.js';
import { csvFormat } from './csv.js';
import type { LedgerExportFormat } from './format.js';
import { hledgerFormat } from './hledger.js';
import { jsonFormat } from './json.js';

const EXPORT_FORMATS: Readonly<Record<string, LedgerExportFormat>> = {
  hledger: hledgerFormat,
  beancount: beancountFormat,
  csv: csvFormat,
  json: jsonFormat,
};

/** Returns the export format with this name. Throws a {@link CliError} if there is no such format. */
export function exportFormatNamed(name: string): LedgerExportFormat {
  const format = Object.hasOwn(EXPORT_FORMATS, name) ? EXPORT_FORMATS[name] : undefined;
  if (!format)
    throw new CliError(`--format "${name}" must be one of ${Object.keys(EXPORT_FORMATS).join(', ')}`);
  return format;
}
