import { createHash } from 'node:crypto';
import type { QueryConfig } from 'pg';

/** The maximum number of prepared statements that a connection to Postgres has to remember. */
const MAX_STATEMENTS = 1_000;
const names = new Map<string, string>();

/**
 * Makes a statement that each connection parses only once and plans a few times at most. The function is for frequent statements that take
 * longer to parse and plan than to run. The name of a statement derives from its text, so equal statements share one name. After 1,000
 * different texts, further statements are not prepared.
 */
export function preparedStatement(text: string, values: unknown[]): QueryConfig {
  let name = names.get(text);
  if (name === undefined) {
    if (names.size >= MAX_STATEMENTS) return { text, values };
    name = createHash('sha256').update(text).digest('base64url');
    names.set(text, name);
  }
  return { name, text, values };
}
