/** The person whose data is erased. */
export interface ErasedPerson {
  readonly workspaceId: string;
  readonly customerId: string;
  /** The ids of the person's invoices, subscriptions and grants, and the person's own id. */
  readonly ids: ReadonlySet<string>;
}

/** Erases the data about a person that a context stores outside of events and read models. */
export interface PersonalDataEraser {
  /**
   * `before_key`: the data is erased while the person's key still exists. `after_key`: the data is erased after the key, when no new data
   * of the person can be stored.
   */
  readonly phase: 'before_key' | 'after_key';
  /**
   * Erases all data of the context that names the person. The call of `erase` is repeated until it succeeds, so a repetition must have the
   * same result. Throws an Error if the data cannot be erased yet.
   */
  erase(person: ErasedPerson): Promise<void>;
}
