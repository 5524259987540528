/** A usage event in the form in which it is stored. */
export interface UsageRow {
  readonly workspaceId: string;
  readonly customerId: string;
  readonly eventName: string;
  /** The timestamp in UTC with microseconds. */
  readonly timestamp: string;
  readonly id: string;
  readonly idempotencyKey: string | undefined;
  /**
   * A key that stands in for a missing idempotency key when repeated events are found. It is stored only as a digest, and never shown. It
   * has no effect on a row with an idempotency key.
   */
  readonly derivedKey?: string | undefined;
  /** An object as JSON text. */
  readonly properties: string;
  /** The sender of the event, such as `api_key:key_…`. */
  readonly source: string;
  /**
   * The version of the gates' conditions (`GateConditions`) by which the row was prepared. Undefined if no gate requires that the version
   * is current.
   */
  readonly gateVersion?: string | undefined;
}
