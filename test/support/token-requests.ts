/*
 * An hour of requests to a language model. The totals are those of one hour of a public trace. The rows are made up so that
 * they add up to the totals.
 */
export const ROWS = 8_819;
const CONTEXT_TOKENS = 18_059_974;
const GENERATED_TOKENS = 245_896;

/** Divides `total` into `ROWS` whole numbers that differ from row to row. */
function spread(total: number): number[] {
  const [each, rest] = [Math.floor(total / ROWS), total % ROWS];
  return Array.from({ length: ROWS }, (_, n) => {
    const swing =
      n + (n % 2 === 0 ? 1 : 0) === ROWS ? 0 : (Math.floor(n / 2) % each) * (n % 2 === 0 ? 1 : -1);
    return each + swing + (n < rest ? 1 : 0);
  });
}

/** The requests as a CSV file. Its timestamps have tenths of microseconds. */
export function tokenRequestsCsv(): string {
  const [context, generated] = [spread(CONTEXT_TOKENS), spread(GENERATED_TOKENS)];
  const start = Date.parse('2023-11-16T18:17:03Z');
  const rows = context.map((tokens, n) => {
    const at = new Date(start + n * 400).toISOString();
    return `${at.slice(0, 10)} ${at.slice(11, 23)}${String(n % 10_000).padStart(4, '0')},${tokens},${generated[n]}`;
  });
  return ['TIMESTAMP,ContextTokens,GeneratedTokens', ...rows, ''].join('\n');
}
