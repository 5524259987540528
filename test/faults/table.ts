import type { Report } from './round.ts';

/** Whether nothing was found, and what was planted was. */
export function isClean({ findings, controls }: Report): boolean {
  return findings.length === 0 && controls.every(({ found }) => found);
}

/** One round in a line, as it ends; below it whatever was found. */
export function line(report: Report): string {
  const { fault, seconds, requests, retries, findings, controls } = report;
  const missed = controls
    .filter(({ found }) => !found)
    .map(({ name, trouble }) =>
      trouble === undefined ? `planted and not found: ${name}` : `not planted: ${name}: ${trouble}`,
    );
  const problems = [...findings.map(({ kind, text }) => `${kind}: ${text}`), ...missed];
  const verdict = problems.length === 0 ? 'clean' : `${problems.length} FINDINGS`;
  return [
    `${fault.padEnd(30)} ${seconds.toFixed(0).padStart(4)} s  ${count(requests)} requests  ${count(retries)} retries  ${verdict}`,
    ...problems.slice(0, MAX_SHOWN).map((text) => `    ${text}`),
    ...(problems.length > MAX_SHOWN ? [`    and ${problems.length - MAX_SHOWN} more`] : []),
  ].join('\n');
}

const MAX_SHOWN = 12;
const count = (number: number): string => number.toLocaleString('en-US').padStart(6);

/** A column: its heading, a round's part of it, and how the rounds come together. */
interface Column {
  heading: string;
  of(report: Report): number;
  together: 'sum' | 'most';
  text?(value: number): string;
}

const found = (kind: string) => (report: Report) =>
  report.findings.filter((finding) => finding.kind === kind).length;

const COLUMNS: readonly Column[] = [
  { heading: 'strikes', of: ({ strikes }) => strikes, together: 'sum' },
  { heading: 'hits', of: ({ hits }) => hits, together: 'sum' },
  {
    heading: 'back in',
    of: ({ recoverySeconds }) => recoverySeconds,
    together: 'most',
    text: (seconds) => (seconds === 0 ? '' : `${seconds.toFixed(1)} s`),
  },
  { heading: 'requests', of: ({ requests }) => requests, together: 'sum' },
  { heading: 'retried', of: ({ retries }) => retries, together: 'sum' },
  { heading: 'replayed', of: ({ replayed }) => replayed, together: 'sum' },
  { heading: 'usage', of: ({ usage }) => usage, together: 'sum' },
  { heading: 'invoices', of: ({ invoices }) => invoices, together: 'sum' },
  { heading: 'webhooks', of: ({ deliveries }) => deliveries, together: 'sum' },
  { heading: 'lost', of: found('lost'), together: 'sum' },
  { heading: 'doubled', of: found('doubled'), together: 'sum' },
  { heading: 'wrong', of: found('wrong'), together: 'sum' },
];

/** A row for each fault and one for all of them. A fault that the time did not suffice for has an empty row. */
export function table(reports: readonly Report[], faults: readonly string[]): string {
  const rows = faults.map((fault) => {
    const rounds = reports.filter((report) => report.fault === fault);
    const controls = rounds.flatMap((round) => round.controls);
    const caught = controls.filter((control) => control.found).length;
    return [fault, ...cells(rounds), rounds.length === 0 ? 'not played' : `${caught} of ${controls.length}`];
  });
  const controls = reports.flatMap((report) => report.controls);
  const caught = controls.filter((control) => control.found).length;
  return layOut([
    ['fault', ...COLUMNS.map(({ heading }) => heading), 'planted found'],
    undefined,
    ...rows,
    undefined,
    ['all', ...cells(reports), `${caught} of ${controls.length}`],
  ]);
}

function cells(rounds: readonly Report[]): string[] {
  return COLUMNS.map(({ of, together, text = (value: number) => value.toLocaleString('en-US') }) => {
    if (rounds.length === 0) return '';
    const values = rounds.map(of);
    return text(together === 'sum' ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values));
  });
}

/** Columns side by side, numbers to the right; an undefined row is a rule. */
function layOut(rows: (string[] | undefined)[]): string {
  const filled = rows.filter((row) => row !== undefined);
  const widths = filled[0]!.map((_, column) => Math.max(...filled.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      widths
        .map((width, column) => {
          if (!row) return '─'.repeat(width);
          return column === 0 ? row[column]!.padEnd(width) : row[column]!.padStart(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** What it comes to, in two sentences, and how to play it again. */
export function summary(reports: readonly Report[], seed: string): string {
  const [lost, doubled, wrong] = ['lost', 'doubled', 'wrong'].map((kind) =>
    reports.reduce((sum, report) => sum + found(kind)(report), 0),
  );
  const minutes = reports.reduce((sum, { seconds }) => sum + seconds, 0) / 60;
  const putOff = new Map<string, number>();
  for (const report of reports)
    for (const [code, times] of report.putOff) putOff.set(code, (putOff.get(code) ?? 0) + times);
  const codes = [...putOff].filter(([, times]) => times > 0).sort(([, a], [, b]) => b - a);
  return [
    `Put off and asked to come again: ${codes.map(([code, times]) => `${code} ${times}`).join(', ') || 'nobody'}.`,
    `${reports.length} rounds in ${minutes.toFixed(1)} minutes: ${lost} lost, ${doubled} doubled, ${wrong} wrong. Seed ${seed}.`,
  ].join('\n');
}

/** The same for programs: every round with what was found, and the sums. */
export function asJson(reports: readonly Report[], seed: string): string {
  const sum = (kind: string): number => reports.reduce((total, report) => total + found(kind)(report), 0);
  const rounds = reports.map(({ putOff, ...report }) => ({
    ...report,
    putOff: Object.fromEntries([...putOff].filter(([, times]) => times > 0)),
    clean: isClean({ putOff, ...report }),
  }));
  return JSON.stringify(
    {
      seed,
      clean: reports.length > 0 && reports.every(isClean),
      lost: sum('lost'),
      doubled: sum('doubled'),
      wrong: sum('wrong'),
      rounds,
    },
    undefined,
    2,
  );
}
