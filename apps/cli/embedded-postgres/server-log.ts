import type { Logger } from '#libs/kernel/system';

/** A line of Postgres' log with its default prefix: time, process, severity, message. */
const LINE = /^\d{4}-\d\d-\d\d \S+ \S+ \[(\d+)\] (.*?)\b([A-Z]+[1-5]?):\s+(.*)$/;

/** The levels of severities; all others are `info`. An error of one connection is logged by the program of that connection too. */
const LEVELS: Readonly<Record<string, 'warn' | 'fatal'>> = {
  WARNING: 'warn',
  ERROR: 'warn',
  FATAL: 'warn',
  PANIC: 'fatal',
};

/** Writes a line of Postgres' log as an entry of the log. A line that continues a message is an entry of its own. */
export function logServerLine(logger: Logger, line: string): void {
  const [, pid, , severity, message] = LINE.exec(line) ?? [];
  if (severity === undefined) return logger.info(line.trim());
  logger[LEVELS[severity] ?? 'info']({ postgresPid: Number(pid), severity }, message);
}
