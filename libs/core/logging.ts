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
