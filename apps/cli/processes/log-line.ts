import { escapeControlCharacters } from '#libs/kernel/core';

// pino's number of the level `error`. Warnings are not shown on the terminal.
const errorLevel = 50;

interface LogEntry {
  level?: unknown;
  msg?: unknown;
  /** The HTTP status code of the response, in the log entry of a request. */
  status?: unknown;
  err?: { message?: unknown };
  /** The message of a transient error, which is logged without a stack. */
  error?: unknown;
}

/** Parses a line of a service's output as a log entry. Returns undefined if the line is ordinary text. */
function parseLogEntry(line: string): LogEntry | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as LogEntry;
  } catch {
    return undefined;
  }
}

/**
 * Returns the readable text of a line: the message of a log entry with its error, or the line itself. The text is one line. Control
 * characters are escaped, since a text from a request could contain line breaks or terminal commands.
 */
export function readableLogLine(line: string): string {
  return escapeControlCharacters(textOf(line));
}

function textOf(line: string): string {
  const entry = parseLogEntry(line);
  if (!entry) return line.trim();
  const [text, cause] = [entry.msg, entry.err?.message ?? entry.error].map((part) =>
    typeof part === 'string' ? part : '',
  );
  // A message often contains the text of its error already.
  return text!.includes(cause!) ? text! : [text, cause].filter(Boolean).join(': ');
}

/**
 * Tells whether a line is a log entry of an error. A response with status 503 does not count as an error. It usually means that the
 * database or the event store is down, which is reported separately.
 */
export function isErrorEntry(line: string): boolean {
  const { level, status } = parseLogEntry(line) ?? {};
  return status !== 503 && typeof level === 'number' && level >= errorLevel;
}

/** Finds the reason in the last lines of a failed process: a logged error, or else an exception, or else the last line. */
export function findFailureReason(lines: readonly string[]): string {
  const line =
    lines.findLast(isErrorEntry) ??
    lines.findLast((text) => /^(Uncaught )?(\w*Error|Exception)( \[\w+\])?: /.test(text)) ??
    lines.findLast((text) => text.trim() !== '') ??
    '';
  return readableLogLine(line);
}
