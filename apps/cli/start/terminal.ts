import { reason } from '../processes/launch.js';

// pino's number for an error; a warning is for the log alone.
const errorLevel = 50;
const quietMillis = 10_000;

/** The few lines that `start` shows a person. Everything that the services say is in their log files. */
export class Terminal {
  private readonly lastProblem = new Map<string, number>();

  constructor(private readonly write: (text: string) => void = (text) => process.stdout.write(text)) {}

  line(text = ''): void {
    this.write(`${text}\n`);
  }

  /** Shows a log line if it is an error, at most one of a service in ten seconds: a flood is for the log file. */
  showIfError(service: string, logLine: string): void {
    if (!isError(logLine)) return;
    const now = performance.now();
    const last = this.lastProblem.get(service);
    if (last !== undefined && now - last < quietMillis) return;
    this.lastProblem.set(service, now);
    this.line(`${service}: ${reason(logLine)}`);
  }
}

function isError(logLine: string): boolean {
  if (!logLine.startsWith('{')) return false;
  try {
    const { level } = JSON.parse(logLine) as { level?: unknown };
    return typeof level === 'number' && level >= errorLevel;
  } catch {
    return false;
  }
}
