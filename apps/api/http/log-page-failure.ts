import { AppError } from '#libs/kernel/core';
import { errorWithoutStack, type Logger } from '#libs/kernel/system';
import { toPublicError } from './public-error.js';

/**
 * Logs why a page could not be shown, as the filter of the API's errors does. An error that a client may see is an answer, such as a refusal
 * because of too much work, and leaves no line. Otherwise anybody with a link could fill the log. An outage that passes is logged without its
 * stack.
 */
export function logPageFailure(logger: Logger, error: unknown): void {
  if (error instanceof AppError) return;
  if (toPublicError(error)) logger.warn(errorWithoutStack(error), 'page put off');
  else logger.error({ err: error }, 'a page failed');
}
