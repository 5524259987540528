/** The limits of usage events and of aggregations. The API documentation and the error messages contain these limits. */
export const usageBounds = {
  /** The maximum number of seconds by which an event's timestamp can be ahead of the workspace's clock. */
  aheadSeconds: 5 * 60,
  /** The maximum number of seconds by which an event's timestamp can be behind the workspace's clock. */
  behindSeconds: 35 * 86_400,
  /** The maximum number of characters of an event name. */
  eventNameLength: 255,
  /** The maximum number of characters of an idempotency key. */
  idempotencyKeyLength: 255,
  /** The maximum number of nested levels in `properties`, including `properties` itself. */
  propertiesDepth: 10,
  /** The maximum size of `properties` as JSON, in bytes. */
  propertiesBytes: 16_384,
  /** The maximum number of characters of a number. Without its sign, a number must also be below 10^100, and zero or above 10^-100. */
  numberLength: 100,
  /** The maximum number of segments of a dot path to a property. */
  pathSegments: 10,
  /** The maximum number of characters of a dot path to a property. */
  pathLength: 256,
  /** The maximum number of properties by which an aggregation groups events. */
  groupByProperties: 5,
  /** The maximum number of properties that the filter of an aggregation names. */
  filterProperties: 10,
  /** The maximum number of values that a filter lists for one property. */
  filterValues: 100,
} as const;
