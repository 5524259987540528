import { beancountFormat } from './beancount.js';
import { csvFormat } from './csv.js';
import type { LedgerFileFormat } from './format.js';
import { hledgerFormat } from './hledger.js';
import { jsonFormat } from './json.js';

export { ledgerFileOf, plainTextAccountName, type LedgerBooks, type LedgerExtract } from './format.js';

/** The formats of a file with books. */
export const LEDGER_FILE_FORMAT_NAMES = ['hledger', 'beancount', 'csv', 'json'] as const;
export type LedgerFileFormatName = (typeof LEDGER_FILE_FORMAT_NAMES)[number];

export const LEDGER_FILE_FORMATS: Readonly<Record<LedgerFileFormatName, LedgerFileFormat>> = {
  hledger: hledgerFormat,
  beancount: beancountFormat,
  csv: csvFormat,
  json: jsonFormat,
};
