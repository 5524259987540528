import { pino, type DestinationStream, type Logger } from 'pino';

export type { Logger };

/**
 * A process's logger: JSON lines with the service's name, on standard output unless another destination is given. Credentials are cut out
 * wherever a header or body is logged.
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
 * Returns the form in which an error is logged. `pg` hangs the whole connection on one that ended it: 8 KB with the statements that it had
 * prepared.
 */
function shownError(error: Error): object {
  const { client: _, ...shown } = pino.stdSerializers.err(error) as unknown as Record<string, unknown>;
  return shown;
}

/** An error's message without its stack: for log entries of temporary problems, such as a full disk, which can come with every request. */
export function withoutStack(error: unknown): { error: string; code?: string | number } {
  const { message = String(error), code } = (error ?? {}) as { message?: string; code?: unknown };
  return typeof code === 'string' || typeof code === 'number' ? { error: message, code } : { error: message };
}
