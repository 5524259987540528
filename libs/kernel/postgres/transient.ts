/** SQLSTATE classes (PostgreSQL appendix A) and system errors that say nothing of the statement itself. */
const PASSING_CODE = /^(?:08|40|53|57P|ECONN|EPIPE|ETIMEDOUT|EAI_AGAIN)/;

/** What pg and its pool say, without a code, of a connection that is gone or could not be had. */
const PASSING_MESSAGE =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect)/;

/**
 * Whether the same work may succeed when it is repeated: the connection was lost, the server was stopping, starting or out of connections,
 * or transactions were in conflict. Anything else would fail again.
 */
export function isTransient(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string') return PASSING_CODE.test(code);
  return typeof message === 'string' && PASSING_MESSAGE.test(message);
}
