import { pino, type DestinationStream, type Logger } from 'pino';

export type { Logger };

/**
 * Creates a process's logger. The logger writes JSON lines with the service's name, by default to standard output. The logger removes
 * credentials from logged headers and bodies.
 */
export function createLogger(service: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: shownError },
    redact: {
      paths: [
        'authorization',
        '*.authorization',
        '*["x-api-key"]',
        '*.password',
        '*.refreshToken',
        '*.secret',
        '*.token',
      ],
      censor: '[redacted]',
    },
  };
  return destination ? pino(options, destination) : pino(options);
}

/**
 * Returns the form in which an error is logged. A `pg` error that ended a connection contains the whole connection: 8 KB, with its prepared
 * statements.
 */
function shownError(error: Error): object {
  const { client: _, ...shown } = pino.stdSerializers.err(error) as unknown as Record<string, unknown>;
  return shown;
}

/**
 * An error's message without its stack. `errorWithoutStack` is for log entries about temporary problems, such as a full disk, that can
 * occur in every request.
 */
export function errorWithoutStack(error: unknown): { error: string; code?: string | number } {
  const { message = String(error), code } = (error ?? {}) as { message?: string; code?: unknown };
  return typeof code === 'string' || typeof code === 'number' ? { error: message, code } : { error: message };
}
