import type { Logger } from '#libs/kernel/system';

/**
 * Writes Nest's own messages to our log: start-up messages at debug level, errors as errors. The class has the methods of Nest's
 * `LoggerService` but does not import it, since processes without Nest load this folder too.
 */
export class NestLogger {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...context: unknown[]): void {
    this.logger.debug({ context }, String(message));
  }

  warn(message: unknown, ...context: unknown[]): void {
    this.logger.warn({ context }, String(message));
  }

  error(message: unknown, ...context: unknown[]): void {
    this.logger.error({ context }, String(message));
  }

  debug(message: unknown, ...context: unknown[]): void {
    this.logger.debug({ context }, String(message));
  }

  verbose(message: unknown, ...context: unknown[]): void {
    this.logger.trace({ context }, String(message));
  }
}
