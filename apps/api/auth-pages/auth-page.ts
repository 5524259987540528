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
 * A controller of pages at the link of a mail. Its methods return a page, which is shown with its headers. The token in the address is the
 * credential. Mail scanners open links, so opening a page must use nothing: only its button does.
 */
export const AuthPages = (path: string): ClassDecorator =>
  applyDecorators(
    ApiExcludeController(),
    Public(),
    UseFilters(AuthPageFilter),
    UseInterceptors(PageInterceptor),
    Controller(path),
  );

/** Answers with the page that a method returns. */
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
