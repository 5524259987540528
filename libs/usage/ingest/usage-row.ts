/** An event as it is stored. */
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
  /** Who sent it, such as `api_key:key_…`. */
  readonly source: string;
}
