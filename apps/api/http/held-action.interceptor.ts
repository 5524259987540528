import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { catchError, of, type Observable } from 'rxjs';
import { ActionHeld, presentApprovalRequest } from '#libs/contexts/approvals';
import { mayRunCommands } from './command-context.js';

/**
 * Answers 202 with the approval request if the action of a request waits for approval. The 202 response is stored for repeated requests,
 * like any other response.
 */
@Injectable()
export class HeldActionInterceptor implements NestInterceptor {
  intercept(host: ExecutionContext, next: CallHandler): Observable<unknown> {
    // Only commands can wait for approval, so requests without commands skip this interceptor.
    if (!mayRunCommands(host)) return next.handle();
    return next.handle().pipe(
      catchError((error: unknown) => {
        if (!(error instanceof ActionHeld)) throw error;
        host.switchToHttp().getRequest<FastifyRequest>().answerStatus = 202;
        void host.switchToHttp().getResponse<FastifyReply>().status(202);
        return of(presentApprovalRequest(error.request));
      }),
    );
  }
}
