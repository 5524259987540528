import type { Execution, Scan } from './plans.ts';

/** Rows that one scan may look at, whatever there is: some more than the largest page that the product works through. */
export const MAX_ROWS = 1_000;

/** A statement that may look at more, and why. */
interface Exception {
  readonly statement: RegExp;
  /** It may read an index alone, never the table. */
  readonly byIndexAlone: boolean;
  readonly because: string;
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    statement: /^SELECT COUNT\(1\) AS "cnt" FROM "read"."invoices"/,
    byIndexAlone: true,
    because: 'A page of invoices that is asked for by its number says how many there are in all.',
  },
  {
    statement: /^SELECT COUNT\(1\) AS "cnt" FROM "read"."subscriptions"/,
    byIndexAlone: true,
    because: 'A preview that is refused for its size says how large it is.',
  },
  {
    statement: /FROM saga\.tasks WHERE status = 'pending' AND NOT ready GROUP BY process/,
    byIndexAlone: true,
    because: 'The metrics say how many timers there are.',
  },
  {
    statement: /sum\(total\) AS total\s+FROM read\.billed_invoices/,
    byIndexAlone: false,
    because: 'A billing run has the sum of its invoices, which can be most that there are.',
  },
  {
    statement: /^WITH opened AS \(/,
    byIndexAlone: false,
    because: 'A revenue report is the sum of all postings of a workspace up to its last month.',
  },
  {
    statement: /^WITH receivables AS \(/,
    byIndexAlone: false,
    because: 'What is owed at a moment is the sum of all postings to receivables up to this moment.',
  },
  {
    statement: /FROM "read"."(audit|invoices|payments|credit_notes)" .*"(created_at|issued_at)" <=? \$\d/s,
    byIndexAlone: false,
    because:
      'What is long ago is behind all that came later, in a list whose order is not that of these times.',
  },
];

/** A statement that looks at more the more there is. */
export interface Fault {
  readonly occasion: string;
  readonly text: string;
  readonly scans: readonly Scan[];
}

/** Those of the executions that look at too much, and the exceptions that none of them needs. */
export function judge(executions: readonly Execution[]): { faults: Fault[]; unneeded: RegExp[] } {
  const needed = new Set<Exception>();
  const faults = executions.flatMap(({ statement: { text, occasion }, scans }) => {
    const large = scans.filter(({ rows }) => rows > MAX_ROWS);
    if (large.length === 0) return [];
    const exception = EXCEPTIONS.find(({ statement }) => statement.test(text.trim()));
    const isByIndex = large.every(({ kind }) => kind === 'Index Only Scan');
    if (exception && (isByIndex || !exception.byIndexAlone)) {
      needed.add(exception);
      return [];
    }
    return [{ occasion, text: text.replace(/\s+/g, ' ').trim(), scans: large }];
  });
  return {
    faults,
    unneeded: EXCEPTIONS.filter((one) => !needed.has(one)).map(({ statement }) => statement),
  };
}
