import { pino, type Logger } from 'pino';

export type { Logger };

/**
 * A process's logger: JSON lines on standard output, with the service's name. Credentials are cut out
 * wherever a header or body is logged.
 */
export function createLogger(service: string, level: string): Logger {
  return pino({
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
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
  });
}

/**
 * What an error says, without where it came from: for a log entry of what passes by itself, such as a full disk, of which there can be one
 * for every request.
 */
export function withoutStack(error: unknown): { error: string; code?: string | number } {
  const { message = String(error), code } = (error ?? {}) as { message?: string; code?: unknown };
  return typeof code === 'string' || typeof code === 'number' ? { error: message, code } : { error: message };
}
