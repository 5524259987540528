import type { Logger } from '#libs/kernel/system';

/**
 * Nest's own messages in our log: start-up chatter at debug, errors as errors. It has the form of Nest's `LoggerService`, and does not
 * name it: processes without Nest load this folder too.
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
