/** An event in its stored form. */
export interface UsageRow {
  readonly workspaceId: string;
  readonly customerId: string;
  readonly eventName: string;
  /** UTC with microseconds. */
  readonly timestamp: string;
  readonly id: string;
  readonly idempotencyKey: string | undefined;
  /** JSON text of an object. */
  readonly properties: string;
  /** The sender of the event, such as `api_key:key_…`. */
  readonly source: string;
}
