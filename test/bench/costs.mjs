import { executions } from '../costs/measure.ts';
import { judge } from '../costs/judge.ts';

/** Statements that are shown: those that take longest. */
const SHOWN = 8;

/**
 * What the statements of the product take on large tables: 50,000 of everything, 500,000 tasks and 2 million entries of the audit
 * trail in a full run. It fails where one looks at more rows the more there are. Uses the bench's Postgres, with a database and
 * the whole product of its own in this process.
 */
export async function benchCosts({ databaseUrl }, { things }) {
  process.env.TEST_POSTGRES_URL = databaseUrl;
  process.env.TEST_RUN_ID = 'bench';
  const executed = await executions({ things, tasks: things * 10, auditEntries: things * 40 }, 3);
  const { faults } = judge(executed);
  for (const { occasion, text, scans } of faults)
    process.stderr.write(`${occasion}: ${scans.map(describe).join(', ')}\n  ${text}\n`);
  const slowest = executed.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, SHOWN);
  return [
    {
      name: 'statements that look at more rows the more there are',
      value: faults.length,
      unit: `of ${new Set(executed.map(({ statement }) => statement.text)).size}`,
      passed: faults.length === 0,
      required: 'none',
    },
    ...slowest.map(({ statement: { occasion }, milliseconds }) => ({
      name: occasion.replace(/after=.*/, 'after=…').slice(0, 60),
      value: Number(milliseconds.toFixed(2)),
      unit: 'ms',
      passed: null,
    })),
  ];
}

const describe = ({ kind, table, index, rows }) => `${kind} of ${index ?? table}: ${rows} rows`;
