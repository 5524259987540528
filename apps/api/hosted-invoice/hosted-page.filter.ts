import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AppError } from '#libs/kernel/core';
import { createLogger, withoutStack } from '#libs/kernel/system';
import { invoiceErrorPage } from '#libs/outputs/documents';
import { eventStoreUnavailable } from '#libs/kernel/event-store';
import { databaseUnavailable } from '#libs/kernel/postgres';
import { RETRY_AFTER_SECONDS } from '../http/index.js';
import { setPageHeaders } from './page-headers.js';

/** Shows a readable error page in the customer's browser, without details of internal errors. */
@Catch()
export class HostedPageFilter implements ExceptionFilter {
  private readonly logger = createLogger('hosted-invoice', 'error');

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const told =
      error instanceof AppError ? error : (databaseUnavailable(error) ?? eventStoreUnavailable(error));
    const status = told?.status ?? 500;
    if (status >= 500) this.logger.error(told ? withoutStack(error) : { err: error }, 'a hosted page failed');
    const page = invoiceErrorPage({
      language: 'en',
      ...(status === 404 ? UNKNOWN : FAILED),
      refreshSeconds: null,
    });
    setPageHeaders(reply, page);
    if (status === 503) void reply.header('Retry-After', RETRY_AFTER_SECONDS);
    void reply.status(status).send(page.html);
  }
}

const UNKNOWN = {
  title: 'Invoice not found',
  heading: 'This invoice link does not work',
  text: 'Check that the whole address was copied, or ask the sender of the invoice for a new link.',
};

const FAILED = {
  title: 'Something went wrong',
  heading: 'Something went wrong on our side',
  text: 'Please try again in a moment. If you were paying, look at the invoice first: it shows whether it is paid.',
};
