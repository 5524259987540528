import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Observable, from } from 'rxjs';
import { lastValueFrom } from 'rxjs';
import type { Settings } from '#libs/kernel/system';
import { trackWrites } from '#libs/kernel/event-store';
import { ReadModelProgress } from '#libs/kernel/projection';
import { createCounter } from '#libs/kernel/telemetry';
import { mayRunCommands } from './command-context.js';
import { SETTINGS } from '#libs/kernel/app';

const answeredBehind = createCounter(
  'writes_answered_behind_total',
  'Writes answered before the read models had passed them',
);

/**
 * Makes a write visible to the next GET: the response waits until the read models have processed the write. If the read models take too
 * long, the response is sent anyway, with the header `Read-Models: behind`. The response also waits if a refused request wrote something:
 * for example, a declined card payment is stored as a payment attempt.
 */
@Injectable()
export class ReadYourWritesInterceptor implements NestInterceptor {
  constructor(
    private readonly readModels: ReadModelProgress,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  intercept(host: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (!mayRunCommands(host)) return next.handle();
    return from(
      trackWrites(async (tracker) => {
        try {
          return (await lastValueFrom(next.handle(), { defaultValue: undefined })) as unknown;
        } finally {
          if (tracker.position !== undefined) {
            const reached = await this.readModels.waitFor(
              tracker.position,
              this.settings.readYourWritesMillis,
            );
            if (!reached) {
              answeredBehind.inc();
              void host.switchToHttp().getResponse<FastifyReply>().header('Read-Models', 'behind');
            }
          }
        }
      }),
    );
  }
}
