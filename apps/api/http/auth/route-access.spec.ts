import { Controller, Get, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { describe, expect, it } from '@jest/globals';
import { Public, RequiresPermission } from './decorators.js';
import { RouteAccess } from './route-access.js';

@Controller('declared')
class Declared {
  @Get()
  @RequiresPermission('customers:read')
  get(): void {}

  helper(): void {}
}

@Controller('forgotten')
class Forgotten {
  @Get('open')
  @Public()
  open(): void {}

  @Get()
  list(): void {}
}

@Controller('misspelt')
class Misspelt {
  @Get()
  @RequiresPermission('customer:read')
  get(): void {}
}

async function start(...controllers: (new () => object)[]): Promise<void> {
  @Module({ imports: [DiscoveryModule], providers: [RouteAccess], controllers })
  class App {}
  const module = await Test.createTestingModule({ imports: [App] }).compile();
  const app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
  await app.init();
  await app.close();
}

describe('a route that does not say who may call it', () => {
  it('stops the process at start, by name', async () => {
    await expect(start(Declared)).resolves.toBeUndefined();
    await expect(start(Declared, Forgotten)).rejects.toThrow(/: Forgotten\.list$/);
  });
});

describe('a route that requires what nobody may do', () => {
  it('stops the process at start, by name', async () => {
    await expect(start(Misspelt)).rejects.toThrow('Misspelt.get requires customer:read, which no role has');
  });
});
