import { createLogger } from '#libs/kernel/system';

/** The ports of a process that is ready. Null or undefined if the process does not listen on such a port. */
export interface ListeningPorts {
  readonly port?: number | null | undefined;
  readonly opsPort?: number | undefined;
}

/**
 * Logs that a process is ready, with `"event":"listening"` and its ports. A supervisor waits for this entry, so it is written whatever level
 * is logged. {@link readListening} reads it.
 */
export function logListening(service: string, ports: ListeningPorts): void {
  createLogger(service, 'info').info({ event: 'listening', ...ports }, 'listening');
}

/** Reads a line of a process's output. Returns undefined unless the line says that the process is ready. */
export function readListening(line: string): ListeningPorts | undefined {
  if (!line.startsWith('{') || !line.includes('"event":"listening"')) return undefined;
  try {
    const entry = JSON.parse(line) as ListeningPorts & { event?: unknown };
    return entry.event === 'listening' ? entry : undefined;
  } catch {
    return undefined;
  }
}
