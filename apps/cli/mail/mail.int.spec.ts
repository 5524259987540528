import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { addSeconds } from '#libs/kernel/core';
import { inTransaction } from '#libs/kernel/postgres';
import { systemClock } from '#libs/kernel/system';
import { MailQueue, MailCipher, MailStore } from '#libs/outputs/mail';
import { createMigratedDatabase, createPool, type TestDatabase } from '../../../test/support/index.js';
import { describeMailList, describeMail, listMail, retryMail, readMail } from './mail.js';

const SECRET = 'a secret of the tests, which is long enough';
let database: TestDatabase;
let pool: pg.Pool;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  database = await createMigratedDatabase();
  pool = createPool(database);
  env = { DATABASE_URL: database.url, JWT_SECRET: SECRET };
  const [store, seal] = [new MailStore(pool), new MailCipher([SECRET])];
  const now = systemClock.now();
  const queue = new MailQueue(store, seal);
  for (const [n, kind] of ['invitation', 'magic-link'].entries())
    await inTransaction(pool, (tx) =>
      queue.add(
        tx,
        {
          id: `mail_${n}`,
          workspaceId: `acc_${n}`,
          kind,
          about: 'usr_1',
          createdAt: now,
          usefulUntil: addSeconds(now, 900),
          content: {
            to: { name: 'Ada', address: `ada-${n}@example.com` },
            subject: 'Sign in',
            text: 'Open https://billing.example/s3cret\n',
            html: '<p>Open it</p>',
          },
        },
        'request-1',
      ),
    );
  await store.endWithoutAttempt('mail_1', now, 'withheld', seal.encryptAnswer('MAIL_URL is not set'));
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

describe('countinghouse mail', () => {
  it('lists mail, newest first, of a workspace or with a status', async () => {
    const ids = async (options: object) =>
      (await listMail({ limit: 10, ...options }, env)).map(({ id }) => id);
    expect(await ids({})).toEqual(['mail_1', 'mail_0']);
    expect(await ids({ limit: 1 })).toEqual(['mail_1']);
    expect(await ids({ workspace: 'acc_0' })).toEqual(['mail_0']);
    expect(await ids({ status: 'sent' })).toEqual([]);
    expect(describeMailList(await listMail({ limit: 10, status: 'withheld' }, env))).toMatch(
      /^mail_1 {2}\S+ {2}withheld {2}magic-link +ada-1@example\.com\n$/,
    );
    expect(describeMailList([])).toBe('There is no such mail\n');
    await expect(ids({ status: 'lost' })).rejects.toThrow(
      '--status "lost" must be one of pending, sent, failed, withheld, unknown',
    );
  });

  it('shows the text of mail that was not sent, with its link', async () => {
    const shown = describeMail(await readMail('mail_1', env));
    for (const part of [
      'Status:    withheld: MAIL_URL is not set\n',
      'To:        Ada <ada-1@example.com>\n',
      'Subject:   Sign in\n',
      '\nOpen https://billing.example/s3cret\n',
    ])
      expect(shown).toContain(part);
    await expect(readMail('mail_9', env)).rejects.toThrow('There is no mail "mail_9"');
  });

  it('has failed mail sent again, and no other', async () => {
    await expect(retryMail('mail_1', env)).rejects.toThrow(
      'Mail "mail_1" is withheld; only failed, unknown, pending mail can be sent by this command',
    );
    await pool.query(`UPDATE mail.messages SET status = 'unknown', ended_at = now() WHERE id = 'mail_0'`);
    expect(await retryMail('mail_0', env)).toMatchObject({ status: 'pending' });
    await expect(retryMail('mail_9', env)).rejects.toThrow('There is no mail "mail_9"');
  });

  it('says so where another secret encrypted it', async () => {
    const other = await readMail('mail_1', { ...env, JWT_SECRET: `${SECRET}, another` });
    expect(describeMail(other)).toContain('(unreadable, since JWT_SECRET has changed)');
  });
});
