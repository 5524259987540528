import { hasSqlDetails, parse } from 'libpg-query';
import { checkNodes, type SqlRefusal } from './check-nodes.js';

/** The SQL of a metric after its check: one SELECT that reads `events`, and the position of the client's text in it. */
export interface CheckedSql {
  /** The SELECT statement, which can be used as a value in parentheses. */
  readonly statement: string;
  /**
   * The number of characters before the client's text in the statement. Negative if the statement does not begin until later in the
   * client's text.
   */
  readonly clientTextOffset: number;
}

const BEFORE_EXPRESSION = 'SELECT (\n';
const AFTER_EXPRESSION = '\n) FROM events';

/**
 * Checks the SQL of a metric with Postgres's own parser. The SQL must be a SELECT or an expression. An expression is completed to a SELECT
 * from `events`. SQL outside the allow-list is refused. SQL that does not return exactly one value is refused too.
 */
export async function checkSql(sql: string): Promise<CheckedSql | SqlRefusal> {
  const asStatement = await parsed(sql);
  if ('statement' in asStatement) return asStatement;
  if (!asStatement.isSyntax || /^\s*(?:select|with)\b/i.test(sql)) return asStatement.refusal;
  const expression = `${BEFORE_EXPRESSION}${sql}${AFTER_EXPRESSION}`;
  const asExpression = await parsed(expression);
  if ('statement' in asExpression) return { ...asExpression, clientTextOffset: BEFORE_EXPRESSION.length };
  const { message, position } = asExpression.refusal;
  if (position === undefined) return { message };
  const place = position - BEFORE_EXPRESSION.length;
  return place > sql.length ? { message: 'syntax error at its end' } : { message, position: place };
}

type Parsed = CheckedSql | { readonly refusal: SqlRefusal; readonly isSyntax: boolean };

async function parsed(text: string): Promise<Parsed> {
  if (text.trim() === '') return { refusal: { message: 'must not be empty' }, isSyntax: false };
  let statements: readonly { stmt?: unknown; stmt_location?: number; stmt_len?: number }[];
  try {
    statements = (await parse(text)).stmts ?? [];
  } catch (error) {
    if (!hasSqlDetails(error)) throw error;
    const position = characterAt(text, error.sqlDetails?.cursorPosition);
    return { refusal: { message: error.message, position }, isSyntax: true };
  }
  const [only] = statements;
  if (only === undefined || statements.length > 1)
    return { refusal: { message: 'must be one statement' }, isSyntax: false };
  const refusal = checkNodes(only.stmt);
  if (refusal)
    return {
      refusal: { message: refusal.message, position: characterAt(text, refusal.position) },
      isSyntax: false,
    };
  // Positions are in bytes. The statement does not include a semicolon at its end.
  const start = only.stmt_location ?? 0;
  const bytes = Buffer.from(text).subarray(start, only.stmt_len ? start + only.stmt_len : undefined);
  const before = Buffer.from(text).subarray(0, start).toString().length;
  return { statement: bytes.toString(), clientTextOffset: -before };
}

/** Converts the position of a byte, counted from 0, to the position of its character, counted from 1. */
function characterAt(text: string, byte: number | undefined): number | undefined {
  return byte === undefined || byte < 0
    ? undefined
    : Buffer.from(text).subarray(0, byte).toString().length + 1;
}
