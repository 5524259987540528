/** The node can no longer write, because another node holds the log or because its connection with the lock has ended. */
export class WriterRightLost extends Error {}

/** The messages of pg for a lost connection. These errors have no code. */
const GONE = /^(?:Connection terminated|Client has encountered a connection error|Client was closed)/;

/**
 * Tells whether Postgres was unreachable or ended the connection. The causes are that Postgres was shutting down, starting, or out of
 * connections, or that an administrator ended the connection. A query that failed for this reason can succeed later.
 */
export function isPostgresUnavailable(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string') return /^(?:08|53|57P|ECONN|EPIPE|ETIMEDOUT)/.test(code);
  return typeof message === 'string' && GONE.test(message);
}

/** Another node holds the log. */
export class LogInUse extends Error {}

/** A group of writes contains an event that its stream already has. No event of the group was written. */
export class EventAlreadyRecorded extends Error {}
