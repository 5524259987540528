import type { Queryable } from '#libs/kernel/postgres';
import {
  UsageGate,
  type Claim,
  type ClaimingEvent,
  type ClaimingRow,
  type CreditCharge,
  type GateConditions,
  type GateWriteCall,
  type LockedClaims,
  type RefusedRow,
  type CachedClaims,
} from './usage-gate.js';
import type { EventRefusal } from './rejection.js';

/** The claims of an event on one gate. */
interface ClaimsOfGate {
  readonly gate: number;
  readonly claims: readonly Claim[];
}

/** An event row with its claims on one gate. */
interface RowAtGate {
  readonly gate: number;
  readonly row: ClaimingRow;
}

/**
 * Combines several gates: an event is stored, and its claims are taken, only if every gate admits the event. The gates take their locks in
 * the order of the list. The order of the gates must therefore be the same in all processes.
 */
export class CombinedUsageGate extends UsageGate {
  constructor(private readonly gates: readonly UsageGate[]) {
    super();
  }

  override async conditionsFor(
    workspaceId: string,
    customerIds: ReadonlySet<string>,
  ): Promise<GateConditions> {
    const conditions = await Promise.all(
      this.gates.map((gate) => gate.conditionsFor(workspaceId, customerIds)),
    );
    const finders = conditions.flatMap(({ claimsOf }, gate) => (claimsOf ? [{ gate, claimsOf }] : []));
    const version = oldest(conditions.flatMap((one) => one.version ?? []));
    if (finders.length === 0) return { claimsOf: undefined, version };
    return {
      version,
      claimsOf(event: ClaimingEvent): readonly ClaimsOfGate[] | undefined {
        const found = finders.flatMap(({ gate, claimsOf }) => {
          const claims = claimsOf(event);
          return claims ? [{ gate, claims }] : [];
        });
        return found.length > 0 ? found : undefined;
      },
    };
  }

  override forget(workspaceId: string): void {
    for (const gate of this.gates) gate.forget(workspaceId);
  }

  /** Only one gate can decide from cached data, because the append's statement includes the call of one gate. */
  override canDecideFromCache(row: ClaimingRow): boolean {
    const parts = partsOf(row);
    return parts.length === 1 && this.gates[parts[0]!.gate]!.canDecideFromCache(parts[0]!.row);
  }

  override async readCachedClaims(rows: readonly ClaimingRow[]): Promise<CachedClaims | undefined> {
    const parts = new Map(rows.map((row) => [row, partsOf(row)[0]!]));
    const used = new Set([...parts.values()].map(({ gate }) => gate));
    const [gate] = used;
    if (gate === undefined || used.size > 1) return undefined;
    const cached = await this.gates[gate]!.readCachedClaims([...parts.values()].map(({ row }) => row));
    return cached && new CachedClaimsOfOneGate(cached, parts);
  }

  override async lockClaims(tx: Queryable, rows: readonly ClaimingRow[]): Promise<LockedClaims> {
    const parts = new Map(rows.map((row) => [row, partsOf(row)]));
    const all = [...parts.values()].flat();
    const locked = new Map<number, LockedClaims>();
    // The gates lock their claims one after the other, because all writers must lock in this order.
    for (const [index, gate] of this.gates.entries()) {
      const own = all.flatMap((part) => (part.gate === index ? [part.row] : []));
      if (own.length > 0) locked.set(index, await gate.lockClaims(tx, own));
    }
    return new LockedClaimsOfGates(locked, parts);
  }

  override async recordRefusals(refused: readonly RefusedRow[]): Promise<void> {
    const parts = refused.flatMap(({ row, refusal }) =>
      partsOf(row).map((part) => ({ gate: part.gate, row: part.row, refusal })),
    );
    await Promise.all(
      [...Map.groupBy(parts, ({ gate }) => gate)].map(([gate, own]) => this.gates[gate]!.recordRefusals(own)),
    );
  }
}

/** Returns the row with its claims on each gate. */
function partsOf(row: ClaimingRow): RowAtGate[] {
  return (row.claims as readonly ClaimsOfGate[]).map(({ gate, claims }) => ({
    gate,
    row: { ...row, claims },
  }));
}

/** Returns the oldest of several versions. The usage log refuses rows if that version is not current. */
function oldest(versions: readonly string[]): string | undefined {
  return versions.toSorted((a, b) => Number(BigInt(a) - BigInt(b)))[0];
}

/** The locked claims on several gates. `claims` has the claims on each gate under the index of the gate. */
class LockedClaimsOfGates implements LockedClaims {
  constructor(
    private readonly claims: ReadonlyMap<number, LockedClaims>,
    private readonly parts: ReadonlyMap<ClaimingRow, readonly RowAtGate[]>,
  ) {}

  check(row: ClaimingRow): EventRefusal | undefined {
    for (const part of this.parts.get(row)!) {
      const refusal = this.claims.get(part.gate)!.check(part.row);
      if (refusal) return refusal;
    }
    return undefined;
  }

  take(row: ClaimingRow): readonly CreditCharge[] {
    return this.parts.get(row)!.flatMap((part) => this.claims.get(part.gate)!.take(part.row));
  }

  async writeDecisions(): Promise<void> {
    for (const claims of this.claims.values()) await claims.writeDecisions();
  }
}

/** The cached claims of rows that have claims on only one gate. */
class CachedClaimsOfOneGate implements CachedClaims {
  constructor(
    private readonly claims: CachedClaims,
    private readonly parts: ReadonlyMap<ClaimingRow, RowAtGate>,
  ) {}

  check(row: ClaimingRow): EventRefusal | undefined {
    return this.claims.check(this.parts.get(row)!.row);
  }

  take(row: ClaimingRow): readonly CreditCharge[] {
    return this.claims.take(this.parts.get(row)!.row);
  }

  createWriteCall(): GateWriteCall {
    return this.claims.createWriteCall();
  }

  onStored(answer: unknown): void {
    this.claims.onStored(answer);
  }

  onFailed(): void {
    this.claims.onFailed();
  }
}
