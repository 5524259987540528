import { describe, expect, it, jest } from '@jest/globals';
import type { Logger } from '#libs/kernel/system';
import { WaitingItemsWorker, type WaitingPart } from './waiting-items-worker.js';

/** Items that wait until `stop` aborts the worker, because nothing more is to be performed. */
class Numbers extends WaitingItemsWorker<number> {
  override readonly name = 'numbers';
  protected override readonly pace = { intervalMillis: 0, collectMillis: 5, limit: 2 };
  protected override readonly messages = { searchFailed: 'not found', itemFailed: 'not performed' };
  readonly parts: WaitingPart[] = [];
  readonly performed: number[] = [];
  readonly postponed: number[] = [];

  constructor(
    private readonly waiting: number[],
    private readonly refused: readonly number[] = [],
    private readonly stop = new AbortController(),
  ) {
    super();
  }

  async runToEnd(logger: Logger): Promise<void> {
    await this.run(this.stop.signal, logger);
  }

  protected override async take(part: WaitingPart): Promise<number[]> {
    this.parts.push(part);
    if (this.waiting.length === 0) this.stop.abort();
    return this.waiting.splice(0, part.limit);
  }

  protected override async perform(item: number): Promise<void> {
    if (this.refused.includes(item)) throw new Error(`no ${item}`);
    this.performed.push(item);
  }

  protected override async postpone(item: number): Promise<void> {
    this.postponed.push(item);
  }

  protected override logFieldsOf(item: number): Record<string, string> {
    return { item: String(item) };
  }
}

describe('a worker of waiting items', () => {
  it('performs the other items if one fails, and says which', async () => {
    const worker = new Numbers([1, 2, 3], [1]);
    const warn = jest.fn();
    await worker.runToEnd({ warn } as unknown as Logger);
    expect(worker.performed).toEqual([2, 3]);
    expect(worker.postponed).toEqual([1]);
    expect(warn.mock.calls).toEqual([[{ error: 'no 1', item: '1' }, 'not performed']]);
    expect(worker.parts[0]).toEqual({ minAgeMillis: 5, limit: 2 });
  });

  it('performs all items of a workspace at once, and rejects with the first error', async () => {
    const worker = new Numbers([1, 2, 3]);
    await worker.recordAll('acc_1');
    expect(worker.performed).toEqual([1, 2, 3]);
    expect(worker.parts).toEqual(Array(2).fill({ minAgeMillis: 0, limit: 2, workspaceId: 'acc_1' }));
    await expect(new Numbers([1, 2], [2]).recordAll('acc_1')).rejects.toThrow('no 2');
  });
});
