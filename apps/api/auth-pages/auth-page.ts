import {
  applyDecorators,
  Controller,
  Injectable,
  UseFilters,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';
import type { WebPage } from '#libs/outputs/documents';
import { setPageHeaders } from '../hosted-invoice/page-headers.js';
import { Public } from '../http/auth/index.js';
import { AuthPageFilter } from './auth-page.filter.js';

/**
 * Declares a controller of the pages that links in mails open. Each method of the controller returns a page, which is sent with its HTTP
 * headers. The token in the URL is the credential. Mail scanners open links, so opening a page must not use up its link. Only the button on
 * the page uses up the link.
 */
export const AuthPageController = (path: string): ClassDecorator =>
  applyDecorators(
    ApiExcludeController(),
    Public(),
    UseFilters(AuthPageFilter),
    UseInterceptors(PageInterceptor),
    Controller(path),
  );

/** Sends the page that a controller method returns. */
@Injectable()
class PageInterceptor implements NestInterceptor<WebPage, string> {
  intercept(host: ExecutionContext, next: CallHandler<WebPage>): Observable<string> {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map((page) => {
        setPageHeaders(reply, page);
        return page.html;
      }),
    );
  }
}
