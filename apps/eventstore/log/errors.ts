/** The node can no longer write, because another node holds the log or because its connection with the lock has ended. */
export class WriterRightLost extends Error {}

/** The messages of pg for a lost connection. These errors have no code. */
const GONE = /^(?:Connection terminated|Client has encountered a connection error|Client was closed)/;

/**
 * Returns true if an error means that Postgres was unreachable, and also if it means that Postgres ended the connection. Postgres can be
 * shutting down, starting, or out of connections. An administrator can also end the connection. A query that failed for this reason can
 * succeed later.
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
