/** The person whose data is erased. */
export interface ErasedPerson {
  readonly workspaceId: string;
  readonly customerId: string;
  /** The ids of the person's invoices, subscriptions and grants, and of the person itself. */
  readonly ids: ReadonlySet<string>;
}

/** Erases what a context stores about a person beside events and read models. */
export interface PersonalDataEraser {
  /**
   * `before_key`: the data is erased while the person's key still exists. `after_key`: nothing new of the person can be stored any more.
   */
  readonly phase: 'before_key' | 'after_key';
  /**
   * Erases everything that names the person. The call is repeated until it succeeds, so a repetition must have the same result. Throws an
   * Error if the data cannot be erased yet.
   */
  erase(person: ErasedPerson): Promise<void>;
}
