/** The node may not write any more: another one holds the log, or the connection that held it is gone. */
export class FenceLost extends Error {}

/** The messages of pg for a connection that is gone. These errors have no code. */
const GONE = /^(?:Connection terminated|Client has encountered a connection error|Client was closed)/;

/**
 * Tells whether Postgres was unreachable, or ended the connection: shutting down, starting, out of connections, or terminated by an
 * administrator. The same question may be answered later.
 */
export function isPostgresAway(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string') return /^(?:08|53|57P|ECONN|EPIPE|ETIMEDOUT)/.test(code);
  return typeof message === 'string' && GONE.test(message);
}

/** Another node holds the log. */
export class LogInUse extends Error {}

/** The group holds an event that its stream already has; nothing of the group was written. */
export class EventAlreadyRecorded extends Error {}
