import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Unavailable } from '#libs/kernel/core';
import type { Queryable } from '#libs/kernel/postgres';
import { AppendNotifier } from '../append-notifications.js';
import { startUsage, type UsageProcess } from '../../../test/support/usage.js';
import { GatedUsageLog } from './gated-usage-log.js';
import { LogNameNumbers } from './log-name-numbers.js';
import {
  GateNotReady,
  UsageGate,
  type ClaimingRow,
  type GateConditions,
  type LockedClaims,
} from './usage-gate.js';

const NOW = '2026-03-10T12:00:00.000Z';

let world: Awaited<ReturnType<typeof startUsage>>;
let usage: UsageProcess;
let workspaceId: string;

beforeAll(async () => {
  world = await startUsage();
  usage = world.usage;
});
afterAll(async () => world?.stop());
beforeEach(async () => {
  workspaceId = await world.workspace(NOW);
});

/** Lets all usage pass, except that of customers who are not ready. */
class GateWithPreparations extends UsageGate {
  private readonly unready = new Map<string, PromiseWithResolvers<void>>();
  private readonly begun = new Map<string, PromiseWithResolvers<void>>();
  /** How often the gate was prepared. */
  preparations = 0;

  /** The customer is not ready until the returned function says so, or that it cannot be. */
  hold(customerId: string): { untilWaiting: Promise<void>; end: (error?: Error) => void } {
    const [held, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    this.unready.set(customerId, held);
    this.begun.set(customerId, begun);
    return {
      untilWaiting: begun.promise,
      end: (error) => {
        this.unready.delete(customerId);
        if (error) held.reject(error);
        else held.resolve();
      },
    };
  }

  override async conditionsFor(): Promise<GateConditions> {
    return { claimsOf: () => [] };
  }

  override forget(): void {}

  override async lockClaims(_tx: Queryable, rows: readonly ClaimingRow[]): Promise<LockedClaims> {
    const unready = new Set(rows.map(({ customerId }) => customerId).filter((id) => this.unready.has(id)));
    if (unready.size > 0)
      throw new GateNotReady(
        [...unready].map((customerId) => ({
          workspaceId,
          customerId,
          prepare: () => {
            this.preparations++;
            this.begun.get(customerId)!.resolve();
            return this.unready.get(customerId)!.promise;
          },
        })),
      );
    return { check: () => undefined, take: () => [], writeDecisions: async () => {} };
  }
}

/** Waits for preparations for a very short time. */
class ImpatientLog extends GatedUsageLog {
  protected override readonly preparingMillis = 50;
}

function gatedLog(Log = GatedUsageLog): { gate: GateWithPreparations; log: GatedUsageLog } {
  const gate = new GateWithPreparations();
  const names = new LogNameNumbers(usage.pool);
  return { gate, log: new Log(usage.pool, names, new AppendNotifier(usage.pool), gate) };
}

let count = 0;
const row = (customerId: string): ClaimingRow => ({
  workspaceId,
  customerId,
  eventName: 'call',
  timestamp: NOW,
  id: `use_${++count}`,
  idempotencyKey: undefined,
  properties: '{}',
  source: 'test',
  claims: [],
  now: NOW,
});
const logged = async (): Promise<string[]> => {
  const { rows } = await usage.pool.query<{ id: string }>(
    'SELECT id FROM usage.log WHERE workspace_id = $1 ORDER BY seq',
    [workspaceId],
  );
  return rows.map(({ id }) => id);
};

describe('usage of a customer for whom the gate is not ready', () => {
  it('waits alone, and does not hold the lane of others', async () => {
    const { gate, log } = gatedLog();
    const held = gate.hold('cust_a');
    const [first, second, third] = [row('cust_a'), row('cust_a'), row('cust_a')];
    const waiting = [log.append([first]), log.append([second])];
    await held.untilWaiting;
    waiting.push(log.append([third]));
    const others = Array.from({ length: 8 }, (_, i) => row(`cust_${i}`));
    for (const one of others) await log.append([one]);
    expect(await logged()).toEqual(others.map(({ id }) => id));
    held.end();
    await Promise.all(waiting);
    expect((await logged()).slice(others.length).sort()).toEqual([first.id, second.id, third.id]);
    expect(gate.preparations).toBe(1);
  });

  it('is stored with the usage of others in one request, in the order of the request', async () => {
    const { gate, log } = gatedLog();
    const held = gate.hold('cust_a');
    const [first, other, second] = [row('cust_a'), row('cust_b'), row('cust_a')];
    const appending = log.append([first, other, second]);
    await held.untilWaiting;
    await log.append([row('cust_b')]);
    held.end();
    expect((await appending).size).toBe(0);
    const ids = await logged();
    expect(ids.filter((id) => id !== other.id).slice(-2)).toEqual([first.id, second.id]);
    expect(ids).toContain(other.id);
  });

  it('fails after a time, and can be sent again when the gate is prepared', async () => {
    const { gate, log } = gatedLog(ImpatientLog);
    const held = gate.hold('cust_a');
    await expect(log.append([row('cust_a')])).rejects.toMatchObject({ code: 'too_many_at_work' });
    const again = log.append([row('cust_a')]);
    held.end();
    await again;
    expect(gate.preparations).toBe(1);
    expect(await logged()).toHaveLength(1);
  });

  it('fails alone if the gate cannot be prepared, and can be sent again', async () => {
    const { gate, log } = gatedLog();
    const held = gate.hold('cust_a');
    const failing = expect(log.append([row('cust_a')])).rejects.toMatchObject({ code: 'too_many_at_work' });
    const others = Array.from({ length: 8 }, (_, i) => log.append([row(`cust_${i}`)]));
    await held.untilWaiting;
    held.end(new Unavailable('too_many_at_work', 'try again'));
    await failing;
    await Promise.all(others);
    await log.append([row('cust_a')]);
    expect(await logged()).toHaveLength(9);
  });
});
