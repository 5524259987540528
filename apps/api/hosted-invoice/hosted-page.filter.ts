import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LANGUAGES, TooManyRequests, type Language } from '#libs/kernel/core';
import { createLogger } from '#libs/kernel/system';
import { makeHostedInvoiceErrorPage } from '#libs/outputs/documents';
import { logPageFailure, RETRY_AFTER_SECONDS, toPublicError } from '../http/index.js';
import { browserLanguage } from './browser-language.js';
import { setPageHeaders } from './page-headers.js';

/** The pages for errors that the customer can understand, by their HTTP status. */
const ERROR_PAGES: Readonly<Record<number, 'unknown' | 'busy'>> = { 404: 'unknown', 429: 'busy' };

/** Shows a readable error page, without details of internal errors. */
@Catch()
export class HostedPageFilter implements ExceptionFilter {
  private readonly logger = createLogger('hosted-invoice', 'warn');

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    const told = toPublicError(error);
    const status = told?.status ?? 500;
    logPageFailure(this.logger, error);
    const language = languageOf(http.getRequest<FastifyRequest>(), reply);
    const page = makeHostedInvoiceErrorPage(language, ERROR_PAGES[status] ?? 'failed');
    setPageHeaders(reply, page);
    if (status === 503) void reply.header('Retry-After', RETRY_AFTER_SECONDS);
    if (error instanceof TooManyRequests) void reply.header('Retry-After', error.retryAfterSeconds);
    void reply.status(status).send(page.html);
  }
}

/**
 * Returns the language of the invoice, if the invoice was found before the error. If the invoice was not found, returns the language of the
 * customer's browser.
 */
function languageOf({ headers }: FastifyRequest, reply: FastifyReply): Language {
  const found = LANGUAGES.find((language) => language === reply.getHeader('Content-Language'));
  return found ?? browserLanguage(headers['accept-language']);
}
