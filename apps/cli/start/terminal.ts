import { isErrorEntry, readableLogLine } from '../processes/log-line.js';

const quietMillis = 10_000;

/** The terminal output of `start`. The terminal shows only a few lines, since all output of the services is in their log files. */
export class Terminal {
  private readonly lastProblem = new Map<string, number>();

  constructor(private readonly write: (text: string) => void = toStandardOutput()) {}

  printLine(text = ''): void {
    this.write(`${text}\n`);
  }

  /** Shows a log line if it is an error, but at most one line per service in ten seconds. The log file has all lines. */
  showIfError(service: string, logLine: string): void {
    if (!isErrorEntry(logLine)) return;
    const now = performance.now();
    const last = this.lastProblem.get(service);
    if (last !== undefined && now - last < quietMillis) return;
    this.lastProblem.set(service, now);
    this.printLine(`${service}: ${readableLogLine(logLine)}`);
  }
}

/**
 * Writes to the standard output. If writing fails, because the disk is full or the reader is gone, the text is lost and the process
 * continues.
 */
function toStandardOutput(): (text: string) => void {
  process.stdout.on('error', () => undefined);
  return (text) => void process.stdout.write(text);
}
