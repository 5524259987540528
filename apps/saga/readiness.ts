import type { INestApplicationContext } from '@nestjs/common';
import { Pool } from 'pg';
import { EventFeed } from '#libs/kernel/event-store';
import { NatsClient, natsCheck } from '#libs/kernel/nats';
import { runChecks, type ReadyReport, storageCheck } from '#libs/kernel/runtime';
import type { Settings } from '#libs/kernel/system';
import { PrintingCheck } from '#libs/outputs/documents';

/**
 * Finds out whether the saga can do its work. With a mail server, the saga needs Chromium, because mail with a PDF waits without it. Without
 * a mail server, Chromium is only reported. Never rejects.
 */
export async function checkSagaReady(
  app: INestApplicationContext,
  settings: Pick<Settings, 'mailUrl' | 'natsUrl'>,
): Promise<ReadyReport> {
  const [pool, feed] = [app.get(Pool, { strict: false }), app.get(EventFeed, { strict: false })];
  const printing = app.get(PrintingCheck, { strict: false });
  const nats = settings.natsUrl === undefined ? undefined : app.get(NatsClient, { strict: false });
  const stores = {
    postgres: () => pool.query('SELECT 1'),
    ...storageCheck(pool),
    eventStore: () => feed.readHead(),
  };
  const documents = { documents: () => printing.check() };
  return settings.mailUrl === undefined
    ? runChecks(stores, { ...documents, ...natsCheck(nats) })
    : runChecks({ ...stores, ...documents }, natsCheck(nats));
}
