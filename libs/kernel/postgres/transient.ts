/** SQLSTATE classes (PostgreSQL appendix A) and system errors that do not depend on the statement itself. */
const PASSING_CODE = /^(?:08|40|53|57P|ECONN|EPIPE|ETIMEDOUT|EAI_AGAIN)/;

/** The messages of pg and its pool for a connection that is gone or unavailable. These errors have no code. */
const PASSING_MESSAGE =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect)/;

/**
 * Tells whether the work that threw `error` may succeed when it is repeated. An error is transient if the connection was lost, the server
 * was unavailable, or transactions conflicted. Anything else would fail again.
 */
export function isTransient(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string') return PASSING_CODE.test(code);
  return typeof message === 'string' && PASSING_MESSAGE.test(message);
}
