import { expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { pino } from 'pino';
import { Conflict, Unavailable } from '#libs/kernel/core';
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

  @Get('broken')
  broken(): never {
    throw new TypeError('a bug');
  }
}

/** What is logged of a request, as the entries of its lines. */
async function loggedOf(path: string): Promise<Record<string, unknown>[]> {
  const lines: string[] = [];
  const module = await Test.createTestingModule({ controllers: [Storing] }).compile();
  const app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
  app.useGlobalFilters(new ErrorFilter(pino({}, { write: (line) => lines.push(line) })));
  await app.init();
  await app.inject(path);
  await app.close();
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

// On a full disk every write is refused, and each left a stack in the log, in which nothing else was found.
it('logs what passes by itself without a stack, and a fault of ours with one', async () => {
  const full = await loggedOf('/full');
  expect(full).toMatchObject([
    { msg: 'request put off', error: 'could not extend file: No space left on device', code: '53100' },
  ]);
  expect(full[0]).not.toHaveProperty('err');
  expect(await loggedOf('/broken')).toEqual([
    expect.objectContaining({
      msg: 'request failed',
      err: expect.objectContaining({ stack: expect.stringContaining('error.filter.spec') }),
    }),
  ]);
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
