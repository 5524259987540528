// pino's number for an error; a warning is for the log alone.
const errorLevel = 50;

interface Entry {
  level?: unknown;
  msg?: unknown;
  err?: { message?: unknown };
}

/** A line of a service's output as a log entry, or undefined when it is ordinary text. */
function entryOf(line: string): Entry | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Entry;
  } catch {
    return undefined;
  }
}

/** What a line says, for a person: the message of a log entry and of its error, or the text itself. */
export function messageOf(line: string): string {
  const entry = entryOf(line);
  if (!entry) return line.trim();
  return [...new Set([entry.msg, entry.err?.message])].filter((part) => typeof part === 'string').join(': ');
}

/** Whether a line is a log entry of an error. */
export function isErrorEntry(line: string): boolean {
  const level = entryOf(line)?.level;
  return typeof level === 'number' && level >= errorLevel;
}

/** Of the last lines of a process that failed, the one that says why: a logged error, else an exception, else the last. */
export function failureIn(lines: readonly string[]): string {
  const line =
    lines.findLast(isErrorEntry) ??
    lines.findLast((text) => /^(Uncaught )?(\w*Error|Exception)( \[\w+\])?: /.test(text)) ??
    lines.findLast((text) => text.trim() !== '') ??
    '';
  return messageOf(line);
}
