import type { Position } from '#libs/kernel/domain';

/** The person whose data is erased. */
export interface ErasedPerson {
  readonly workspaceId: string;
  readonly customerId: string;
  /** The ids of the person's invoices, subscriptions and grants, and the person's own id. */
  readonly ids: ReadonlySet<string>;
  /** The position of the newest event of the erasure. After the key's erasure, only events before it can have been read with the key. */
  readonly position: Position;
}

/** Erases the data about a person that a context stores outside of events and read models. */
export interface PersonalDataEraser {
  /**
   * The time of the erasure: before or after the encryption key of the person's data is erased. After the key's erasure, no new data of the
   * person can be stored.
   */
  readonly phase: 'before_key_erasure' | 'after_key_erasure';
  /**
   * Erases all data of the context that names the person. The call of `erase` is repeated until it succeeds, so a repetition must have the
   * same result. Throws an Error if the data cannot be erased yet.
   */
  erase(person: ErasedPerson): Promise<void>;
}
