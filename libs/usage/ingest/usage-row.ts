/** An event in its stored form. */
export interface UsageRow {
  readonly workspaceId: string;
  readonly customerId: string;
  readonly eventName: string;
  /** The time in UTC with microseconds. */
  readonly timestamp: string;
  readonly id: string;
  readonly idempotencyKey: string | undefined;
  /** An object as JSON text. */
  readonly properties: string;
  /** The sender of the event, such as `api_key:key_…`. */
  readonly source: string;
  /** The version of the gates' demands (`GateDemands`) that the row was prepared with. Undefined if no gate needs the current version. */
  readonly gateVersion?: string | undefined;
}
