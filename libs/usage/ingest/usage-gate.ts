import type { Instant } from '#libs/kernel/core';
import type { Queryable } from '#libs/kernel/postgres';
import type { Properties } from '../meters/contribution.js';
import type { EventRefusal } from './rejection.js';
import type { UsageRow } from './usage-row.js';

/** What an event takes, such as credits of a wallet. Only the gate that made a claim knows its fields. */
export type Claim = object;

/** The parts of an event by which a gate finds its claims. */
export interface ClaimedEvent {
  readonly customerId: string;
  readonly eventName: string;
  /** In UTC with microseconds. */
  readonly timestamp: string;
  readonly properties: Properties;
}

/** Returns the claims of an event. Undefined if it has none, so that no gate has to admit it. */
export type ClaimFinder = (event: ClaimedEvent) => readonly Claim[] | undefined;

/** A row that is stored only if a gate admits it. */
export interface ClaimedRow extends UsageRow {
  readonly claims: readonly Claim[];
  /** The workspace's time when the event arrived. */
  readonly now: Instant;
}

/** What an event was charged: the credit type, the metric, the block (null: none covered it), and the credits. */
export type CreditCharge = readonly [
  creditType: string,
  metricId: string,
  blockId: string | null,
  credits: string,
];

/** A gate within the transaction of one append. */
export interface OpenGate {
  /**
   * Decides whether an event may be stored, after those before it. Returns the reason if it is refused. Nothing is taken yet, because
   * another gate may refuse the event.
   */
  check(row: ClaimedRow): EventRefusal | undefined;
  /** Takes what an event claims, after all gates have let it pass. Returns its charges. */
  take(row: ClaimedRow): readonly CreditCharge[];
  /** Writes the decisions of the gate on all events. */
  close(): Promise<void>;
}

/**
 * A gate that has decided by what the process remembers, without a lock. Its decisions are written in the statement that stores the events, and
 * that statement fails if anything has changed meanwhile. So the append needs one round trip.
 */
export interface RememberedGate extends Pick<OpenGate, 'check' | 'take'> {
  /** Returns the call that writes the decisions. The method is called once, after all events. */
  write(): GateWrite;
  /** Is called after the events were stored. `answer` is what the Postgres function of {@link GateWrite} returned. */
  onStored(answer: unknown): void;
  /** Is called if nothing was stored. The gate forgets what it remembered for these events. */
  onFailed(): void;
}

/** A call of a function in Postgres that raises {@link GATE_CHANGED} if the gate decided by something that is not current. */
export interface GateWrite {
  /** The name of the function with its schema. */
  readonly name: string;
  readonly values: readonly unknown[];
}

/** The SQLSTATE by which a {@link GateWrite} says that something has changed. */
export const GATE_CHANGED = 'CG002';

/**
 * Decides which events may be stored, in the transaction that stores them. The application provides the implementations, because the usage
 * library does not depend on credits or limits.
 */
export abstract class UsageGate {
  /**
   * Returns what the gate wants from events of these customers. The method is called for every request with usage, so it should usually
   * return from memory.
   */
  abstract demandsOn(workspaceId: string, customerIds: ReadonlySet<string>): Promise<GateDemands>;

  /** Forgets what it remembers of a workspace, because it is no longer current. */
  abstract forget(workspaceId: string): void;

  /**
   * Locks what the rows claim, until the transaction ends. A gate locks in the order of its keys. Throws {@link GateNotReady} if something
   * else must be done first for some customers, outside of the transaction. The error names all of these customers.
   */
  abstract open(tx: Queryable, rows: readonly ClaimedRow[]): Promise<OpenGate>;

  /** Whether the gate can decide on such a row by what it remembers. */
  canRemember(_row: ClaimedRow): boolean {
    return false;
  }

  /** Returns the gate as the process remembers it. Undefined if it must be opened. {@link canRemember} is true for each row. */
  async remember(_rows: readonly ClaimedRow[]): Promise<RememberedGate | undefined> {
    return undefined;
  }
}

/** What a gate wants from the events of a workspace. */
export interface GateDemands {
  /** Finds the claims of an event. Undefined: no event has any. */
  readonly claimsOf: ClaimFinder | undefined;
  /**
   * The version of these demands, as `usage.gate_versions` has it. Usage is stored only while this version is current. Undefined: usage may be stored
   * by outdated demands for some moments.
   */
  readonly version?: string | undefined;
}

/** A customer whose usage must wait until the gate is prepared for it. */
export interface UnreadyCustomer {
  readonly workspaceId: string;
  readonly customerId: string;
  /** Prepares the gate, outside of the transaction. */
  readonly prepare: () => Promise<void>;
}

/** The transaction must be rolled back. The usage of these customers waits until the gate is prepared for them. */
export class GateNotReady extends Error {
  override readonly name = 'GateNotReady';

  constructor(readonly customers: readonly UnreadyCustomer[]) {
    super('The gate must be prepared before it can be opened');
  }
}
