import { expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { Conflict, createLogger, Unavailable } from '#libs/core';
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
