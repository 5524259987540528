import { countWithNoun } from '../wording.js';
import type { ImportResult } from './import-usage.js';

/** Describes the result of an import for the terminal: the counts, and the reasons why rows were rejected or do not count as usage. */
export function describeImport(result: ImportResult, seconds: number): string[] {
  const { rowCount: rows, accepted, repeated, reusedKeys, rejected, examples, unmatched, warnings } = result;
  const { unpriced, unpricedWarnings } = result;
  const [verb, them] = unmatched === 1 ? ['is', 'it'] : ['are', 'them'];
  return [
    `${countWithNoun(rows, 'row')} read, ${count(accepted)} accepted (${count(repeated)} of them imported before), ` +
      `${count(rejected)} rejected in ${seconds.toFixed(1)} s`,
    ...examples.map(({ row, code, reason }) => `  row ${row}: ${reason} (${code})`),
    ...(rejected > examples.length ? [`  … and ${count(rejected - examples.length)} more`] : []),
    ...(reusedKeys > 0
      ? [
          `${count(reusedKeys)} of the accepted not stored: the key was used before for another customer, event or properties`,
        ]
      : []),
    ...(unmatched > 0
      ? [
          `${count(unmatched)} of the accepted ${verb} stored and not counted; GET /v1/events?unmatched=true lists ${them}`,
          ...[...warnings].map(([reason, of]) => `  ${count(of)}: ${reason}`),
        ]
      : []),
    ...(unpriced > 0
      ? [
          `${count(unpriced)} of the accepted counted, but charged by no price; GET /v1/events?unpriced=true lists ${unpriced === 1 ? 'it' : 'them'}`,
          ...[...unpricedWarnings].map(([reason, of]) => `  ${count(of)}: ${reason}`),
        ]
      : []),
  ];
}

const count = (n: number): string => n.toLocaleString('en');
