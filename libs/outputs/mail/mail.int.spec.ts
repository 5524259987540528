import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import { addSeconds } from '#libs/kernel/core';
import { inTransaction } from '#libs/kernel/postgres';
import type { Task } from '#libs/kernel/saga';
import { createLogger, systemClock } from '#libs/kernel/system';
import { ObservedOutages } from '#libs/kernel/telemetry';
import { createMigratedDatabase, createPool, type TestDatabase } from '../../../test/support/index.js';
import { MailServer, textOf } from '../../../test/support/mail-server.js';
import {
  MailCipher,
  MailDeliverer,
  MailQueue,
  MailStore,
  pruneMail,
  type AttachmentMaker,
  type NewMail,
  type SendConditionChecker,
} from './index.js';
import { CustomerMailSender, MailProcess } from './mail.process.js';
import { SmtpSender } from './smtp/smtp-sender.js';

const SECRET = 'a secret of the tests, which is long enough';
let database: TestDatabase;
let pool: pg.Pool;
let server: MailServer;
let store: MailStore;
let queue: MailQueue;
const seal = new MailCipher([SECRET]);
const logger = createLogger('mail', 'silent');

beforeAll(async () => {
  database = await createMigratedDatabase();
  pool = createPool(database);
  server = await MailServer.start();
  store = new MailStore(pool);
  queue = new MailQueue(store, seal);
});
afterAll(async () => {
  await server?.close();
  await pool?.end();
  await database?.drop();
});
beforeEach(async () => {
  server.answers = {};
  server.received.length = 0;
  await pool.query('TRUNCATE mail.messages; TRUNCATE saga.tasks');
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** Makes a file for each document. */
const attachmentMaker: AttachmentMaker = {
  makeFiles: (_, attached) =>
    Promise.resolve(
      attached.map(({ document }) => ({
        filename: `${document}.pdf`,
        content: Buffer.from('%PDF'),
        contentType: 'application/pdf',
      })),
    ),
};
/** Knows one invoice that is owed. */
const conditionChecker: SendConditionChecker = {
  findWithholdingReason: (_, { whileOwed }) =>
    Promise.resolve(!whileOwed || whileOwed.includes('inv_owed') ? null : 'Nothing is owed any more'),
};
const logged: object[] = [];
const outages = new ObservedOutages(
  'mail_server',
  createLogger('mail', 'info', { write: (line) => void logged.push(JSON.parse(line) as object) }),
);
const delivererOf = (sender: SmtpSender | undefined) =>
  new MailDeliverer(store, seal, sender, attachmentMaker, conditionChecker, logger, outages);
const deliverer = (url = server.url) => delivererOf(new SmtpSender(url, FROM));
const FROM = 'Acme Billing <billing@acme.example>';

const mailTo = (address: string, more: Partial<NewMail> = {}): NewMail => ({
  id: 'mail_1',
  workspaceId: 'acc_1',
  kind: 'sign-in',
  about: 'usr_1',
  createdAt: systemClock.now(),
  usefulUntil: addSeconds(systemClock.now(), 3_600),
  ...more,
  content: {
    to: { name: 'Zoë "The\r\nBcc: evil@example.com" Example', address },
    subject: 'Sign in',
    text: 'Open https://billing.example/auth/magic-link/s3cret\n',
    html: '<p>Open https://billing.example/auth/magic-link/s3cret</p>',
    ...more.content,
  },
});
const add = (mail: NewMail) => inTransaction(pool, (tx) => queue.add(tx, mail, 'request-1'));
const state = async (id = 'mail_1') => {
  const mail = (await store.find(id))!;
  return { ...mail, answer: mail.answer === null ? null : seal.decryptAnswer(mail.answer) };
};
const storedTask = async () => {
  const { rows } = await pool.query<Task>(
    `SELECT id, name, workspace_id AS "workspaceId", payload, due_at AS "dueAt", clock, 1 AS attempt, event_id AS "eventId",
       event_at AS "eventAt", correlation_id AS "correlationId" FROM saga.tasks`,
  );
  return rows[0]!;
};

describe('a mail server that does not work', () => {
  const laterAttempt = async () => {
    const { nextAttemptAt } = await state();
    return nextAttemptAt;
  };

  it('is told once when it begins, with the next attempt, and once when it ends', async () => {
    logged.length = 0;
    // Nothing listens there.
    const silent = deliverer('smtp://127.0.0.1:9');
    await add(mailTo('ada@example.com'));
    await silent.attempt('mail_1');
    expect(logged).toMatchObject([
      { outage: 'begin', system: 'mail_server', nextAttemptAt: await laterAttempt() },
    ]);
    await silent.attempt('mail_1', await laterAttempt());
    expect(logged).toHaveLength(1);
    await deliverer().attempt('mail_1', await laterAttempt());
    expect(logged.slice(1)).toMatchObject([{ outage: 'end', system: 'mail_server' }]);
    expect(await state()).toMatchObject({ status: 'sent' });
  });

  it('is no outage if it only puts one mail off', async () => {
    logged.length = 0;
    server.answers = { recipient: () => ({ status: 450, text: 'Greylisted' }) };
    await add(mailTo('ada@example.com'));
    await deliverer().attempt('mail_1');
    expect([(await state()).status, logged]).toEqual(['pending', []]);
  });

  it('does not hold pending mail that an operator retries', async () => {
    await add(mailTo('ada@example.com'));
    await deliverer('smtp://127.0.0.1:9').attempt('mail_1');
    const at = systemClock.now();
    const mail = (await store.find('mail_1'))!;
    expect(mail.nextAttemptAt > at).toBe(true);
    expect(await inTransaction(pool, (tx) => queue.retry(tx, mail, at))).toBe(true);
    await deliverer().attempt('mail_1', at);
    expect(await state()).toMatchObject({ status: 'sent', attempts: 2 });
    // The task of the planned attempt finds nothing to do.
    expect(await deliverer().attempt('mail_1', mail.nextAttemptAt)).toBeUndefined();
    expect(server.received).toHaveLength(1);
  });

  it('lets nobody retry mail whose message is handed over at this moment', async () => {
    await add(mailTo('ada@example.com'));
    const at = systemClock.now();
    await store.markHandedOver('mail_1', 0, at);
    const mail = (await store.find('mail_1'))!;
    expect(await inTransaction(pool, (tx) => queue.retry(tx, mail, at))).toBe(false);
  });
});

describe('mail in the queue', () => {
  it('is stored once with its task, only if the transaction commits, and shows nothing', async () => {
    const failing = inTransaction(pool, async (tx) => {
      await queue.add(tx, mailTo('ada@example.com'), 'request-1');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await store.find('mail_1')).toBeUndefined();
    await add(mailTo('ada@example.com'));
    await add(mailTo('ada@example.com', { kind: 'another' }));
    const { rows: tasks } = await pool.query('SELECT process, name, payload, clock FROM saga.tasks');
    expect(tasks).toEqual([
      { process: 'mail', name: 'send', payload: { mailId: 'mail_1' }, clock: 'system' },
    ]);
    const { rows } = await pool.query<{ all: string }>('SELECT m::text AS all FROM mail.messages m');
    expect(rows).toHaveLength(1);
    expect(rows[0]!.all).not.toMatch(/ada|s3cret|Sign in/);
  });

  it('to customers has its own sender, so that mail to users does not wait for it', async () => {
    await add(mailTo('shop@example.com', { id: 'mail_2', customerId: 'cus_1' }));
    await add(mailTo('ada@example.com'));
    const { rows } = await pool.query('SELECT process, payload FROM saga.tasks ORDER BY process');
    expect(rows).toEqual([
      { process: 'mail', payload: { mailId: 'mail_1' } },
      { process: 'mail-to-customers', payload: { mailId: 'mail_2' } },
    ]);
    const senders = [new MailProcess(deliverer()), new CustomerMailSender(deliverer())];
    expect(senders.map(({ name, slots }) => [name, slots])).toEqual([
      ['mail', 8],
      ['mail-to-customers', 8],
    ]);
  });

  it('shows a subject with "=?" as it is', async () => {
    const subject = `=?utf-8?B?RnJlZSBtb25leQ==?= for Zoë, ${'in a long subject '.repeat(5)}`;
    const mail = mailTo('ada@example.com');
    await add({ ...mail, content: { ...mail.content, subject } });
    await deliverer().attempt('mail_1');
    const head = server.received[0]!.raw.replaceAll('\r\n', '\n').split('\n\n')[0]!;
    const header = /^Subject: (.*(?:\n .*)*)$/m.exec(head)?.[1];
    const words = (header ?? head)
      .split(/\s+/)
      .map((word) => /^=\?UTF-8\?B\?([\w+/=]+)\?=$/.exec(word)?.[1] ?? '');
    expect(words.map((word) => Buffer.from(word, 'base64').toString()).join('')).toBe(subject);
  });

  it('shows names of the sender and the receiver with "=?" as they are', async () => {
    const name = '=?utf-8?B?QmFuaw==?=';
    const mail = mailTo('ada@example.com');
    const to = { name, address: 'ada@example.com' };
    await add({ ...mail, content: { ...mail.content, senderName: name, to } });
    await deliverer().attempt('mail_1');
    const encoded = `=?UTF-8?B?${Buffer.from(name).toString('base64')}?=`;
    const head = server.received[0]!.raw.replaceAll('\r\n', '\n').split('\n\n')[0]!;
    expect(head.match(/^(From|To): .*(\n .*)*/gm)).toEqual([
      `From: ${encoded}\n <billing@acme.example>`,
      `To: ${encoded}\n <ada@example.com>`,
    ]);
  });

  it('is sent once, as text and HTML, from MAIL_FROM to one recipient', async () => {
    await add(mailTo('ada@example.com'));
    expect(await deliverer().attempt('mail_1')).toBeUndefined();
    expect(await deliverer().attempt('mail_1')).toBeUndefined();
    expect(server.received).toMatchObject([{ from: 'billing@acme.example', to: ['ada@example.com'] }]);
    const text = textOf(server.received[0]!);
    for (const part of [
      'From: Acme Billing <billing@acme.example>\n',
      'Message-ID: <mail_1@acme.example>\n',
      'Auto-Submitted: auto-generated\n',
      `Date: ${new Date((await state()).createdAt).toUTCString().replace('GMT', '+0000')}\n`,
      'Content-Type: text/plain',
      'Content-Type: text/html',
      '\nOpen https://billing.example/auth/magic-link/s3cret\n',
    ])
      expect(text).toContain(part);
    expect(text).not.toMatch(/^Bcc:/m);
    expect(await state()).toMatchObject({
      status: 'sent',
      attempts: 1,
      answer: expect.stringMatching(/^250 /),
    });
  });

  it('is sent when its task is due by the database, even if the clock of this machine is behind', async () => {
    const mail = mailTo('ada@example.com');
    await add(mail);
    jest.spyOn(systemClock, 'now').mockReturnValue(addSeconds(mail.createdAt, -0.005));
    expect(await new MailProcess(deliverer()).perform(await storedTask())).toEqual({});
    expect(await state()).toMatchObject({ status: 'sent', attempts: 1 });
  });

  it('is tried again after a 4xx, later each time, under the same Message-ID', async () => {
    await add(mailTo('ada@example.com', { usefulUntil: addSeconds(systemClock.now(), 86_400) }));
    server.answers = { recipient: () => ({ status: 450, text: 'Try again later' }) };
    const first = await deliverer().attempt('mail_1');
    expect(first).toMatchObject({ earlierAttempts: 1 });
    expect(await state()).toMatchObject({
      status: 'pending',
      attempts: 1,
      nextAttemptAt: first!.at,
      answer: expect.stringContaining('450'),
    });
    // A task that is repeated before its time sends nothing.
    expect(await deliverer().attempt('mail_1')).toEqual(first);
    expect(await state()).toMatchObject({ attempts: 1 });
    jest.spyOn(systemClock, 'now').mockReturnValue(first!.at);
    // The connection breaks before the message.
    const second = await deliverer('smtp://127.0.0.1:1').attempt('mail_1');
    expect(Date.parse(second!.at) - Date.parse(first!.at)).toBeGreaterThan(60_000);
    server.answers = {};
    jest.spyOn(systemClock, 'now').mockReturnValue(second!.at);
    // Another sender would name another Message-ID. The first one stays.
    const renamed = new SmtpSender(server.url, 'billing@other.example');
    expect(await delivererOf(renamed).attempt('mail_1')).toBeUndefined();
    expect(server.received.map(({ raw }) => /^Message-ID: (.*)\r$/m.exec(raw)?.[1])).toEqual([
      '<mail_1@acme.example>',
    ]);
    expect(await state()).toMatchObject({ status: 'sent', attempts: 3 });
  });

  it('ends at a 5xx to the recipient or the message, and keeps what the server said', async () => {
    const refusals = [
      { recipient: () => ({ status: 550, text: 'No such user' }) },
      { message: () => ({ status: 554, text: 'Looks like spam' }) },
    ];
    for (const [n, answers] of refusals.entries()) {
      await add(mailTo('ada@example.com', { id: `mail_${n}` }));
      server.answers = answers;
      expect(await deliverer().attempt(`mail_${n}`)).toBeUndefined();
      expect(await state(`mail_${n}`)).toMatchObject({
        status: 'failed',
        attempts: 1,
        answer: expect.stringMatching(/550 No such user|554 Looks like spam/),
      });
    }
  });

  it('is not attempted any more once it is of no use, and not planned for then', async () => {
    const now = systemClock.now();
    jest.spyOn(systemClock, 'now').mockReturnValue(now);
    await add(mailTo('ada@example.com', { usefulUntil: addSeconds(now, 5) }));
    const unreachable = deliverer('smtp://127.0.0.1:1');
    expect(await unreachable.attempt('mail_1')).toBeUndefined();
    expect(await state()).toMatchObject({ status: 'failed', attempts: 1 });
    await add(mailTo('ada@example.com', { id: 'mail_2', usefulUntil: now }));
    expect(await deliverer().attempt('mail_2')).toBeUndefined();
    expect(await state('mail_2')).toMatchObject({ status: 'failed', attempts: 0 });
    expect(server.received).toEqual([]);
  });

  it('is removed after its retention, but not while it waits', async () => {
    const createdAt = addSeconds(systemClock.now(), -8 * 86_400);
    for (const id of ['mail_1', 'mail_2']) await add(mailTo('ada@example.com', { id, createdAt }));
    await deliverer().attempt('mail_1');
    expect([await pruneMail(pool, 9, 10), await pruneMail(pool, 7, 10)]).toEqual([0, 1]);
    expect(await store.find('mail_1')).toBeUndefined();
    expect(await store.find('mail_2')).toBeDefined();
  });
});

describe('mail that was handed over without an answer', () => {
  const cutAfterMessage = () => {
    server.answers = { afterMessage: () => Promise.resolve('cut') };
  };

  it('is unknown, and is not sent again until somebody asks for it', async () => {
    await add(mailTo('ada@example.com'));
    cutAfterMessage();
    expect(await deliverer().attempt('mail_1')).toBeUndefined();
    server.answers = {};
    expect(await deliverer().attempt('mail_1')).toBeUndefined();
    expect(server.received).toHaveLength(1);
    expect(await state()).toMatchObject({ status: 'unknown', attempts: 1, handedOverAt: null });

    const retried = (await store.find('mail_1'))!;
    const at = systemClock.now();
    expect(await inTransaction(pool, (tx) => queue.retry(tx, retried, at))).toBe(true);
    expect(await inTransaction(pool, (tx) => queue.retry(tx, retried, at))).toBe(false);
    const { rows } = await pool.query('SELECT payload FROM saga.tasks ORDER BY id');
    expect(rows).toHaveLength(2);
    expect(await deliverer().attempt('mail_1')).toBeUndefined();
    expect(server.received).toHaveLength(2);
    expect(await state()).toMatchObject({ status: 'sent', attempts: 2 });
  });

  it('is unknown after a crash of the process, and is not sent again', async () => {
    await add(mailTo('ada@example.com'));
    await store.markHandedOver('mail_1', 0, systemClock.now());
    expect(await deliverer().attempt('mail_1')).toBeUndefined();
    expect(server.received).toEqual([]);
    expect(await state()).toMatchObject({
      status: 'unknown',
      answer: expect.stringMatching(/^The process stopped after it had handed over the message at /),
    });
  });

  it('is not sent by a second attempt at the same time', async () => {
    await add(mailTo('ada@example.com'));
    const sender = new SmtpSender(server.url, FROM);
    const content = seal.decryptContent((await store.find('mail_1'))!.content)!;
    const outgoing = { ...content, messageId: '<mail_1@acme.example>', date: systemClock.now() };
    const refused = await sender.send(outgoing, () => Promise.resolve(false));
    expect(refused).toEqual({ kind: 'failed', answer: 'Another attempt is sending this mail' });
    expect(server.received).toEqual([]);
    expect(await store.markHandedOver('mail_1', 0, systemClock.now())).toBe(true);
    expect(await store.markHandedOver('mail_1', 0, systemClock.now())).toBe(false);
  });
});

describe('mail of which two attempts are made at the same time', () => {
  it('is sent once, though the first attempt fails while the second waits for the answer', async () => {
    await add(mailTo('ada@example.com'));
    const [first, second] = [new SmtpSender(server.url, FROM), new SmtpSender(server.url, FROM)];
    const [begun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { send } = first;
    jest.spyOn(first, 'send').mockImplementation(async (...given) => {
      begun.resolve();
      await release.promise;
      return send.apply(first, given);
    });
    const slow = delivererOf(first).attempt('mail_1');
    await begun.promise;
    const [arrived, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<'answer'>()];
    server.answers = {
      afterMessage: () => {
        arrived.resolve();
        return answer.promise;
      },
    };
    const sending = delivererOf(second).attempt('mail_1');
    await arrived.promise;
    release.resolve();
    await slow;
    expect(await state()).toMatchObject({ status: 'pending', attempts: 0, handedOverAt: expect.any(String) });
    answer.resolve('answer');
    await sending;
    expect(await state()).toMatchObject({ status: 'sent', attempts: 1 });
    expect(server.received).toHaveLength(1);
  });
});

describe('mail to a customer', () => {
  it('has its files, the name of its sender, and an address for answers', async () => {
    const { content } = mailTo('ada@example.com');
    const attached = { document: 'invoice', invoiceId: 'inv_owed' } as const;
    const own = { senderName: 'Contoso', replyTo: 'help@contoso.example', attachments: [attached] };
    await add(mailTo('ada@example.com', { content: { ...content, ...own } }));
    await deliverer().attempt('mail_1');
    const text = textOf(server.received[0]!);
    for (const part of [
      'From: Contoso <billing@acme.example>\n',
      'Reply-To: help@contoso.example\n',
      'filename=invoice.pdf\n',
      '\nJVBERg=',
    ])
      expect(text).toContain(part);
  });

  it('is withheld if nothing is owed any more', async () => {
    const { content } = mailTo('ada@example.com');
    for (const id of ['inv_owed', 'inv_paid'])
      await add(mailTo('ada@example.com', { id: `mail_${id}`, content: { ...content, whileOwed: [id] } }));
    for (const id of ['inv_owed', 'inv_paid']) await deliverer().attempt(`mail_${id}`);
    expect(await state('mail_inv_owed')).toMatchObject({ status: 'sent' });
    expect(await state('mail_inv_paid')).toMatchObject({ status: 'withheld', attempts: 0 });
  });

  it('is tried again later if a file cannot be made now', async () => {
    jest.spyOn(attachmentMaker, 'makeFiles').mockRejectedValueOnce(new Error('No browser'));
    await add(mailTo('ada@example.com'));
    expect(await deliverer().attempt('mail_1')).toMatchObject({ earlierAttempts: 1 });
    expect(await state()).toMatchObject({
      status: 'pending',
      answer: 'An attachment could not be made: No browser',
    });
  });
});

describe('without a mail server', () => {
  it('is withheld, and stays so', async () => {
    await add(mailTo('ada@example.com'));
    const idle = delivererOf(undefined);
    expect(await idle.attempt('mail_1')).toBeUndefined();
    expect(await state()).toMatchObject({ status: 'withheld', attempts: 0, answer: 'MAIL_URL is not set' });
    expect(await deliverer().attempt('mail_1')).toBeUndefined();
    expect(server.received).toEqual([]);
  });
});
