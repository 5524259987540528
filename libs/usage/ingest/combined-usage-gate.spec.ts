import { describe, expect, it } from '@jest/globals';
import type { Queryable } from '#libs/kernel/postgres';
import {
  UsageGate,
  type CreditCharge,
  type Claim,
  type ClaimingRow,
  type GateConditions,
  type LockedClaims,
} from './usage-gate.js';
import { CombinedUsageGate } from './combined-usage-gate.js';
import type { EventRefusal } from './rejection.js';

const tx = {} as Queryable;
const row = (claims: readonly Claim[]): ClaimingRow => ({
  workspaceId: 'acc_1',
  customerId: 'cust_1',
  eventName: 'tokens',
  id: 'use_1',
  idempotencyKey: undefined,
  timestamp: '2026-01-01T00:00:00.000000Z',
  properties: '{}',
  source: 'test',
  claims,
  now: '2026-01-01T00:00:00.000Z',
});
const event = { ...row([]), properties: {} };

/** A gate that lets a number of events pass, and notes in `log` what it was asked to do. */
class Counted extends UsageGate {
  constructor(
    readonly name: string,
    private left: number,
    private readonly log: string[],
    private readonly claims: readonly Claim[] | null = [{ of: name }],
  ) {
    super();
  }

  async conditionsFor(): Promise<GateConditions> {
    const { claims } = this;
    return { claimsOf: claims === null ? undefined : () => claims };
  }

  forget(): void {
    this.log.push(`forget ${this.name}`);
  }

  async lockClaims(): Promise<LockedClaims> {
    this.log.push(`lock ${this.name}`);
    return {
      check: ({ claims }): EventRefusal | undefined => {
        expect(claims).toEqual(this.claims);
        return this.left > 0 ? undefined : { code: 'insufficient_credits', reason: this.name };
      },
      take: (): readonly CreditCharge[] => {
        this.left--;
        return [[this.name, 'metric', null, '1']];
      },
      writeDecisions: async () => {
        this.log.push(`write ${this.name}, ${this.left} left`);
      },
    };
  }
}

describe('several gates', () => {
  it('all check an event before one of them takes from it', async () => {
    const log: string[] = [];
    const gates = new CombinedUsageGate([new Counted('first', 2, log), new Counted('second', 1, log)]);
    const { claimsOf } = await gates.conditionsFor('acc_1', new Set(['cust_1']));
    const rows = [row(claimsOf!(event)!), row(claimsOf!(event)!)];
    const locked = await gates.lockClaims(tx, rows);
    expect(locked.check(rows[0]!)).toBeUndefined();
    expect(locked.take(rows[0]!).map(([name]) => name)).toEqual(['first', 'second']);
    expect(locked.check(rows[1]!)).toMatchObject({ reason: 'second' });
    await locked.writeDecisions();
    expect(log).toEqual(['lock first', 'lock second', 'write first, 1 left', 'write second, 0 left']);
  });

  it('are asked only about events with claims on them', async () => {
    const log: string[] = [];
    const gates = new CombinedUsageGate([new Counted('none', 1, log, null), new Counted('second', 1, log)]);
    const { claimsOf } = await gates.conditionsFor('acc_1', new Set(['cust_1']));
    const one = row(claimsOf!(event)!);
    const locked = await gates.lockClaims(tx, [one]);
    expect(locked.check(one)).toBeUndefined();
    await locked.writeDecisions();
    expect(log).toEqual(['lock second', 'write second, 1 left']);
  });

  it('have no claims if none of them has any, and forget together', async () => {
    const log: string[] = [];
    const gates = new CombinedUsageGate([new Counted('none', 1, log, null)]);
    expect(await gates.conditionsFor('acc_1', new Set())).toEqual({ claimsOf: undefined });
    gates.forget('acc_1');
    expect(log).toEqual(['forget none']);
  });
});
