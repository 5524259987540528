/** A usage event in the form in which it is stored. */
export interface UsageRow {
  readonly workspaceId: string;
  readonly customerId: string;
  readonly eventName: string;
  /** The timestamp in UTC with microseconds. */
  readonly timestamp: string;
  readonly id: string;
  readonly idempotencyKey: string | undefined;
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
