import { expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { pino } from 'pino';
import { Conflict, Unavailable } from '#libs/kernel/core';
import type { RecordedEvent } from '#libs/kernel/domain';
import { UnreadableEvent } from '#libs/kernel/event-store';
import { createLogger } from '#libs/kernel/system';
import { ErrorFilter } from './error.filter.js';

@Controller()
class Failing {
  @Get('away')
  away(): never {
    throw new Unavailable('away', 'Try again');
  }

  @Get('in-the-way')
  inTheWay(): never {
    throw new Conflict('in_the_way', 'Something else is there');
  }
}

@Controller()
class Storing {
  @Get('full')
  full(): never {
    throw Object.assign(new Error('could not extend file: No space left on device'), { code: '53100' });
  }

  @Get('newer')
  newer(): never {
    const stored = { type: 'CustomerTeleported', id: 'e-1', stream: 'customer-1', position: 7n };
    throw new UnreadableEvent(stored as RecordedEvent, new Error('no context has the event type'));
  }

  @Get('i/:token')
  link(): never {
    throw new TypeError('a bug');
  }

  @Get('broken')
  broken(): never {
    throw new TypeError('a bug');
  }
}

/** The answer to a request, and what is logged of the request, as the entries of its lines. */
async function answerOf(path: string) {
  const lines: string[] = [];
  const module = await Test.createTestingModule({ controllers: [Storing] }).compile();
  const app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
  app.useGlobalFilters(new ErrorFilter(pino({}, { write: (line) => lines.push(line) })));
  await app.init();
  const answer = await app.inject(path);
  await app.close();
  return { answer, logged: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

it('logs addresses without the query and without the token of a link, since both can have personal data', async () => {
  for (const path of [
    '/full?email=ada@example.com',
    '/broken?email=ada@example.com',
    '/i/secret-of-a-link',
  ]) {
    const { logged } = await answerOf(path);
    expect(logged).toHaveLength(1);
    expect(JSON.stringify(logged)).not.toMatch(/ada@example|secret-of-a-link/);
  }
});

// On a full disk every write is refused, and each left a stack in the log, in which nothing else was found.
it('logs what passes by itself without a stack, and a fault of ours with one', async () => {
  const full = await answerOf('/full');
  expect(full.logged).toMatchObject([
    { msg: 'request put off', error: 'could not extend file: No space left on device', code: '53100' },
  ]);
  expect(full.logged[0]).not.toHaveProperty('err');
  const broken = await answerOf('/broken');
  expect(broken.logged).toEqual([
    expect.objectContaining({
      msg: 'request failed',
      err: expect.objectContaining({ stack: expect.stringContaining('error.filter.spec') }),
    }),
  ]);
});

it('says that a later version wrote an event which this version cannot read', async () => {
  const { answer, logged } = await answerOf('/newer');
  expect(answer.statusCode).toBe(503);
  expect(answer.json()).toMatchObject({ code: 'unreadable_event' });
  expect(logged).toMatchObject([
    { error: expect.stringContaining('CustomerTeleported (event e-1) of customer-1') },
  ]);
  expect(logged[0]).not.toHaveProperty('err');
});

it('says when to come again with what may succeed then, and with nothing else', async () => {
  const module = await Test.createTestingModule({ controllers: [Failing] }).compile();
  const app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
  app.useGlobalFilters(new ErrorFilter(createLogger('test', 'silent')));
  await app.init();
  const away = await app.inject('/away');
  expect(away.statusCode).toBe(503);
  expect(away.headers['retry-after']).toBe('1');
  const conflict = await app.inject('/in-the-way');
  expect(conflict.statusCode).toBe(409);
  expect(conflict.headers['retry-after']).toBeUndefined();
  await app.close();
});
