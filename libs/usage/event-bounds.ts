/** The limits of one usage event. The API documentation and the error messages contain these limits. */
export const eventBounds = {
  /** The maximum number of seconds by which an event's timestamp can be ahead of the workspace's clock. */
  aheadSeconds: 5 * 60,
  /** The maximum number of seconds by which an event's timestamp can be behind the workspace's clock. */
  behindSeconds: 35 * 86_400,
  eventNameLength: 255,
  idempotencyKeyLength: 255,
  /** The maximum number of nested levels in `properties`, including `properties` itself. */
  propertiesDepth: 10,
  /** The maximum size of `properties` as JSON, in bytes. */
  propertiesBytes: 16_384,
  /** The maximum number of characters of a number. A number must also be below 10^100. */
  numberLength: 100,
  pathSegments: 10,
  pathLength: 256,
  groupByProperties: 5,
  filterProperties: 10,
  filterValues: 100,
} as const;
