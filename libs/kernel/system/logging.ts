import { pino, type DestinationStream, type Logger } from 'pino';

export type { Logger };

/**
 * Creates a process's logger. The logger writes JSON lines with the service's name, by default to standard output. It removes credentials
 * from logged headers and bodies.
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
 * Returns the form in which an error is logged. An error of `pg` that ended a connection holds the whole connection: 8 KB, with its
 * prepared statements.
 */
function shownError(error: Error): object {
  const { client: _, ...shown } = pino.stdSerializers.err(error) as unknown as Record<string, unknown>;
  return shown;
}

/**
 * An error's message without its stack. It is for log entries of temporary problems, such as a full disk, which can come with every
 * request.
 */
export function withoutStack(error: unknown): { error: string; code?: string | number } {
  const { message = String(error), code } = (error ?? {}) as { message?: string; code?: unknown };
  return typeof code === 'string' || typeof code === 'number' ? { error: message, code } : { error: message };
}
