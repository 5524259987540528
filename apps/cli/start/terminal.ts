import { isErrorEntry, messageOf } from '../processes/log-line.js';

const quietMillis = 10_000;

/** The few lines that `start` shows a person. Everything that the services say is in their log files. */
export class Terminal {
  private readonly lastProblem = new Map<string, number>();

  constructor(private readonly write: (text: string) => void = toStandardOutput()) {}

  line(text = ''): void {
    this.write(`${text}\n`);
  }

  /** Shows a log line if it is an error, at most one of a service in ten seconds: a flood is for the log file. */
  showIfError(service: string, logLine: string): void {
    if (!isErrorEntry(logLine)) return;
    const now = performance.now();
    const last = this.lastProblem.get(service);
    if (last !== undefined && now - last < quietMillis) return;
    this.lastProblem.set(service, now);
    this.line(`${service}: ${messageOf(logLine)}`);
  }
}

/** Writes to standard output. What a full disk, or a reader that is gone, does not take is lost, and the process goes on. */
function toStandardOutput(): (text: string) => void {
  process.stdout.on('error', () => undefined);
  return (text) => void process.stdout.write(text);
}
