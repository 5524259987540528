import type { Instant } from '#libs/kernel/core';
import type { Queryable } from '#libs/kernel/postgres';
import type { Properties } from '../meters/contribution.js';
import type { EventRefusal } from './rejection.js';
import type { UsageRow } from './usage-row.js';

/**
 * Something that one event needs from a gate to be stored, such as credits of a wallet. Only the gate that made a claim can read its
 * fields.
 */
export type Claim = object;

/** The fields of an event from which a gate finds the claims of the event. */
export interface ClaimingEvent {
  readonly customerId: string;
  readonly eventName: string;
  /** In UTC with microseconds. */
  readonly timestamp: string;
  readonly properties: Properties;
}

/** Returns the claims of an event. Returns undefined if the event has no claims, so that no gate has to admit it. */
export type ClaimFinder = (event: ClaimingEvent) => readonly Claim[] | undefined;

/** An event row that is stored only if a gate admits it. */
export interface ClaimingRow extends UsageRow {
  readonly claims: readonly Claim[];
  /** The workspace's time when the event arrived. */
  readonly now: Instant;
}

/** The credits that an event was charged: the credit type, the metric, the block (null: no block covered it), and the amount. */
export type CreditCharge = readonly [
  creditType: string,
  metricId: string,
  blockId: string | null,
  credits: string,
];

/**
 * The data that the rows of one append claim from a gate, such as wallets. The data is locked until the append's transaction ends. The gate
 * decides on each row from the locked data.
 */
export interface LockedClaims {
  /**
   * Decides whether an event may be stored if the earlier events of the append are stored too. Returns the reason if the event is refused.
   * The check takes no credits and no part of a limit yet, because another gate may refuse the event.
   */
  check(row: ClaimingRow): EventRefusal | undefined;
  /** Takes the credits or the part of a limit that an event claims, after all gates have admitted the event. Returns its charges. */
  take(row: ClaimingRow): readonly CreditCharge[];
  /** Writes the gate's decisions on all events to the database. */
  writeDecisions(): Promise<void>;
}

/**
 * The data that the rows of one append claim from a gate, as this process has cached it, without a lock. The gate decides on each row from
 * the cached data. The statement that stores the events also writes the gate's decisions. The statement fails if the cached data is no
 * longer current. The append therefore needs only one round trip to the database.
 */
export interface CachedClaims extends Pick<LockedClaims, 'check' | 'take'> {
  /** Returns the database call that writes the gate's decisions. `createWriteCall` is called once, after all events have been checked. */
  createWriteCall(): GateWriteCall;
  /** `onStored` is called after the events were stored. `answer` is the result of the Postgres function of {@link GateWriteCall}. */
  onStored(answer: unknown): void;
  /** `onFailed` is called if no event was stored. The gate deletes its cached data for these events. */
  onFailed(): void;
}

/** A call of a Postgres function that raises {@link GATE_CHANGED} if the gate decided from outdated data. */
export interface GateWriteCall {
  /** The name of the Postgres function, with its schema. */
  readonly name: string;
  readonly values: readonly unknown[];
}

/** The SQLSTATE that a {@link GateWriteCall} raises if the cached data is outdated. */
export const GATE_CHANGED = 'CG002';

/**
 * A gate decides which events may be stored, in the transaction that stores them. The application implements the gates, because the usage
 * library does not depend on credits or limits.
 */
export abstract class UsageGate {
  /**
   * Returns the gate's conditions for the events of these customers. `conditionsFor` is called for every request with usage, so it should
   * usually return from memory.
   */
  abstract conditionsFor(workspaceId: string, customerIds: ReadonlySet<string>): Promise<GateConditions>;

  /** Deletes the cached data of a workspace, because it is no longer current. */
  abstract forget(workspaceId: string): void;

  /**
   * Locks the data that the rows claim, such as wallets, until the transaction ends. A gate takes its locks in the order of their keys.
   * Throws {@link GateNotReady} if the gate must first be prepared for some customers, outside of the transaction. The error GateNotReady
   * names all customers for which the gate is not ready.
   */
  abstract lockClaims(tx: Queryable, rows: readonly ClaimingRow[]): Promise<LockedClaims>;

  /** Tells whether the gate can decide on a row from cached data. */
  canDecideFromCache(_row: ClaimingRow): boolean {
    return false;
  }

  /**
   * Returns the data that the rows claim, from the cache of this process. Returns undefined if the claims must be locked instead, by
   * {@link lockClaims}. The caller must pass only rows for which {@link canDecideFromCache} is true.
   */
  async readCachedClaims(_rows: readonly ClaimingRow[]): Promise<CachedClaims | undefined> {
    return undefined;
  }

  /**
   * Called with the rows of an append that a gate refused, after the other rows were stored. A gate can record the refusals here. Never
   * rejects, because the other rows are stored already.
   */
  async recordRefusals(_refused: readonly RefusedRow[]): Promise<void> {}
}

/** A row that a gate refused, with the reason. */
export interface RefusedRow {
  readonly row: ClaimingRow;
  readonly refusal: EventRefusal;
}

/** The conditions that a gate sets for the events of some customers of a workspace. */
export interface GateConditions {
  /** Finds the claims of an event. Undefined: no event has any. */
  readonly claimsOf: ClaimFinder | undefined;
  /**
   * The version of these conditions, as stored in `usage.gate_versions`. Usage is stored only while this version of the conditions is
   * current. If the version is undefined, new conditions can take effect a little late. Until then, usage is stored by the former
   * conditions.
   */
  readonly version?: string | undefined;
}

/** A customer whose usage must wait until the gate is prepared for this customer. */
export interface UnreadyCustomer {
  readonly workspaceId: string;
  readonly customerId: string;
  /** Prepares the gate for the customer, outside of the transaction. */
  readonly prepare: () => Promise<void>;
}

/** After this error, the transaction must be rolled back. The usage of these customers waits until the gate is prepared for them. */
export class GateNotReady extends Error {
  override readonly name = 'GateNotReady';

  constructor(readonly customers: readonly UnreadyCustomer[]) {
    super('The gate must be prepared before it can lock the claims of these customers');
  }
}
