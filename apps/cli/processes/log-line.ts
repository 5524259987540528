// pino's number for an error; a warning is for the log alone.
const errorLevel = 50;

interface Entry {
  level?: unknown;
  msg?: unknown;
  /** Of a request: how it was answered. */
  status?: unknown;
  err?: { message?: unknown };
  /** The message alone, of an error that passes by itself. */
  error?: unknown;
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
  const [text, cause] = [entry.msg, entry.err?.message ?? entry.error].map((part) =>
    typeof part === 'string' ? part : '',
  );
  // A message often ends with the words of its error already.
  return text!.includes(cause!) ? text! : [text, cause].filter(Boolean).join(': ');
}

/** Whether a line is a log entry of an error. A request answered with 503 is not: what was away is told by itself. */
export function isErrorEntry(line: string): boolean {
  const { level, status } = entryOf(line) ?? {};
  return status !== 503 && typeof level === 'number' && level >= errorLevel;
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
