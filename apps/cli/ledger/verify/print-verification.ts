import { readSettingsWithServerUrls } from '../../start/running-instance.js';
import { countWithNoun } from '../../wording.js';
import { verifyLedger, type LedgerVerification } from './verify-ledger.js';

/** Verifies the ledger and prints the result, with at most `max` differences. Returns true if there are no differences. */
export async function printVerification(max: number, env = process.env): Promise<boolean> {
  const settings = await readSettingsWithServerUrls(env);
  const began = performance.now();
  let found = 0;
  const verified = await verifyLedger(
    settings,
    ({ position, subject, problem }) => {
      found += 1;
      if (found <= max) process.stdout.write(`position ${position ?? '–'}  ${subject}: ${problem}\n`);
    },
    process.stderr,
  );
  if (found > max) process.stdout.write(`… and ${countWithNoun(found - max, 'more difference')}\n`);
  process.stdout.write(summaryOf(verified, (performance.now() - began) / 1_000));
  return found === 0;
}

function summaryOf(verified: LedgerVerification, seconds: number): string {
  const {
    head,
    readModelPosition: shown,
    eventCount: events,
    invoiceCount: invoices,
    auditEntryCount: entries,
    anchorCount: anchors,
    newestLink: newest,
    differenceCount: differences,
  } = verified;
  if (head === undefined && differences === 0) return 'The log is empty, and so are the read models\n';
  const lines = [
    `${countWithNoun(events, 'event')} read, to position ${head}, in ${seconds.toFixed(1)} s: ${countWithNoun(invoices, 'invoice')}, ` +
      `${countWithNoun(entries, 'audit entry', 'audit entries')}, ${countWithNoun(anchors, 'anchor')}`,
  ];
  if (head !== undefined && shown < head)
    lines.push(
      `The read models have reached position ${shown}: they were compared with the events up to there`,
    );
  if (newest.sequence > 0)
    lines.push(`The audit trail ends with entry ${newest.sequence}, hash ${newest.hash}`);
  lines.push(
    differences === 0
      ? 'Everything agrees with the events'
      : `${countWithNoun(differences, 'difference')} found`,
  );
  return `${lines.join('\n')}\n`;
}
