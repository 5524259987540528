import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { EventStoreDBClient } from '@eventstore/db-client';
import { DataSource } from 'typeorm';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApiApp } from '#apps/api';
import { clientOf, startSystem, type System } from '../../../test/support/index.js';
import { systemContext } from '#libs/kernel/event-store';
import { OutboxEntry } from './entities/outbox-entry.entity.js';
import { CommandOutbox } from './command-outbox.js';
import { sessionDecider } from './session.js';

let system: System;
beforeAll(async () => {
  system = await startSystem();
  // The outbox of this process is stopped, so that each test decides which process delivers.
  await system.api.get(CommandOutbox).beforeApplicationShutdown();
});
afterAll(() => system.stop());

async function typesIn(stream: string): Promise<string[]> {
  const types: string[] = [];
  try {
    for await (const { event } of system.api.get(EventStoreDBClient).readStream(stream))
      types.push(event!.type);
  } catch (error) {
    if ((error as { type?: string }).type !== 'stream-not-found') throw error;
  }
  return types;
}

/** Registers a user at an API process that dies after its transaction and before the delivery of its events. */
async function registerAndDie(app: NestFastifyApplication, email: string) {
  jest.spyOn(app.get(CommandOutbox), 'deliver').mockResolvedValue();
  await app.listen(0, '127.0.0.1');
  const body = { email, password: 'correct horse battery staple', name: 'Ada' };
  const answer = await clientOf(await app.getUrl())
    .post('/v1/auth/register', body)
    .expect(201);
  await app.close();
  const { user, tokens } = answer.body as {
    user: { id: string; accountId: string };
    tokens: { accessToken: string };
  };
  const { sid } = JSON.parse(Buffer.from(tokens.accessToken.split('.')[1]!, 'base64url').toString()) as {
    sid: string;
  };
  return {
    workspace: `workspace-${user.accountId}`,
    user: `user-${user.accountId}.${user.id}`,
    session: `session-${user.accountId}.${sid}`,
    email,
  };
}

async function expectOnceEach(streams: { workspace: string; user: string; session: string }): Promise<void> {
  await expect(typesIn(streams.workspace)).resolves.toEqual(['WorkspaceCreated']);
  await expect(typesIn(streams.user)).resolves.toEqual(['UserRegistered']);
  await expect(typesIn(streams.session)).resolves.toEqual(['UserSignedIn']);
}

describe('events of a process that died before it wrote them', () => {
  it('are written by the next process that starts', async () => {
    const streams = await registerAndDie(await createApiApp(system.settings), 'died@example.com');
    await expect(typesIn(streams.user)).resolves.toEqual([]);

    const next = await createApiApp(system.settings);
    // `close` waits for the delivery that the start has begun.
    await next.close();
    await expectOnceEach(streams);
    await expect(system.api.get(DataSource).manager.count(OutboxEntry)).resolves.toBe(0);
  });

  it('are written once, even if several processes find them at the same time', async () => {
    const streams = await registerAndDie(await createApiApp(system.settings), 'many@example.com');
    const outbox = system.api.get(CommandOutbox);
    await Promise.all([outbox.deliver(), outbox.deliver(), outbox.deliver()]);
    await expectOnceEach(streams);
  });

  it('do not keep the user from signing in meanwhile', async () => {
    const { email } = await registerAndDie(await createApiApp(system.settings), 'meanwhile@example.com');
    await clientOf(system.url)
      .post('/v1/auth/login', { email, password: 'correct horse battery staple' })
      .expect(200);
  });
});

describe('a command that cannot be delivered', () => {
  it('blocks only the later commands of the same aggregate', async () => {
    const { manager } = system.api.get(DataSource);
    const { workspaceId } = await system.workspace();
    const context = {
      workspaceId,
      actor: { type: 'system' as const, id: 'test' },
      correlationId: 'test',
      causationId: null,
      now: '2026-01-01T00:00:00.000Z',
      mayRepeat: false,
    };
    const session = (n: number) => ({ sessionId: `ses_${n}`, userId: 'usr_1' });
    const add = async (category: string, n: number, commandId: string, command: object): Promise<void> => {
      await manager.insert(OutboxEntry, {
        category,
        aggregateId: `${workspaceId}.ses_${n}`,
        context: { ...context, commandId },
        command,
      });
    };
    await add('nonesuch', 1, 'a', {});
    await add('nonesuch', 1, 'b', {});
    await add('session', 2, 'c', { type: 'StartSession', ...session(2), method: 'password' });
    await add('session', 2, 'd', { type: 'EndSession', ...session(2), reason: 'signed_out' });

    await system.api.get(CommandOutbox).deliver();
    const left = await manager.find(OutboxEntry, { order: { seq: 'ASC' } });
    expect(left.map((entry) => entry.context.commandId)).toEqual(['a', 'b']);
    await expect(typesIn(`session-${workspaceId}.ses_2`)).resolves.toEqual(['UserSignedIn', 'UserSignedOut']);
    await manager.delete(OutboxEntry, { category: 'nonesuch' });
  });
});

describe('commands for very many aggregates', () => {
  it('are stored, although one statement has too few parameters for them', async () => {
    const outbox = system.api.get(CommandOutbox);
    const rolledBack = new Error('rolled back');
    const now = '2026-04-01T00:00:00.000Z';
    const stored = system.api.get(DataSource).transaction(async (manager) => {
      const before = await manager.count(OutboxEntry);
      const commands = Array.from({ length: 17_000 }, (_, i) => ({
        aggregateId: `ws_1.ses_${i}`,
        context: systemContext({ workspaceId: 'ws_1', now, process: 'test', commandId: `cmd_${i}` }),
        command: {
          type: 'EndSession' as const,
          sessionId: `ses_${i}`,
          userId: 'user_1',
          reason: 'password_reset' as const,
        },
      }));
      await outbox.addAll(manager, sessionDecider, commands);
      expect((await manager.count(OutboxEntry)) - before).toBe(17_000);
      throw rolledBack;
    });
    await expect(stored).rejects.toBe(rolledBack);
  });
});
