import { describe, expect, it } from '@jest/globals';
import { Conflict, InvalidRequest, NotFound, Unavailable } from '#libs/kernel/core';
import { systemContext } from '#libs/kernel/event-store';
import { CatalogCopy } from './catalog-copy.js';

const live = (commandId: string) =>
  systemContext({ workspaceId: 'acc_live', now: '2026-01-01T00:00:00.000Z', process: 'test', commandId });

describe('a copy of a catalog', () => {
  it('gives a resource the same command at each repetition, and another one to each resource', async () => {
    const ids: string[] = [];
    for (const commandId of ['one', 'two'])
      for (const sandboxId of ['met_1', 'met_2'])
        await new CatalogCopy(live(commandId)).copyResource('metric', sandboxId, async (context) => {
          ids.push(context.commandId);
          return 'met_live';
        });
    expect(ids.slice(0, 2)).toEqual(ids.slice(2));
    expect(new Set(ids).size).toBe(2);
  });

  it('skips what is refused, and what names it', async () => {
    const copy = new CatalogCopy(live('one'));
    await copy.copyResource('metric', 'met_1', async () => 'met_live');
    await copy.copyResource('metric', 'met_2', async () => Promise.reject(new InvalidRequest('x', 'Wrong')));
    await copy.copyResource('price', 'price_1', async () => copy.liveIdOf('metric', 'met_2'));
    await copy.copyResource('price', 'price_2', async () => `of ${copy.liveIdOf('metric', 'met_1')}`);
    await copy.copyResource('coupon', 'gone', async () => Promise.reject(NotFound.of('coupon', 'gone')));
    await copy.copyResource('credit_type', 'taken', async () =>
      Promise.reject(new Conflict('taken', 'Taken')),
    );
    expect(copy.result).toEqual({
      copied: [
        { type: 'metric', sandboxId: 'met_1', liveId: 'met_live' },
        { type: 'price', sandboxId: 'price_2', liveId: 'of met_live' },
      ],
      skipped: [
        { type: 'metric', sandboxId: 'met_2', reason: 'Wrong' },
        { type: 'price', sandboxId: 'price_1', reason: expect.stringContaining('the metric "met_2"') },
        { type: 'coupon', sandboxId: 'gone', reason: expect.any(String) },
        { type: 'credit_type', sandboxId: 'taken', reason: 'Taken' },
      ],
    });
  });

  it('stops at an error that a repetition may not meet', async () => {
    const copy = new CatalogCopy(live('one'));
    for (const error of [new Unavailable('x', 'x'), new Conflict('concurrent_modification', 'x')])
      await expect(copy.copyResource('plan', 'plan_1', async () => Promise.reject(error))).rejects.toBe(
        error,
      );
    expect(copy.result).toEqual({ copied: [], skipped: [] });
  });
});
