/** The limits of one usage event. The API documentation and the errors quote them. */
export const eventBounds = {
  /** The number of seconds by which a timestamp can be ahead of the workspace's clock. */
  aheadSeconds: 5 * 60,
  /** The number of seconds by which a timestamp can be behind the workspace's clock. */
  behindSeconds: 35 * 86_400,
  eventNameLength: 255,
  idempotencyKeyLength: 255,
  /** The number of nested levels in `properties`, including `properties` itself. */
  propertiesDepth: 10,
  /** The size of `properties` as JSON, in bytes. */
  propertiesBytes: 16_384,
  /** The maximum number of characters of a number. Numbers must also be below 10^100. */
  numberLength: 100,
  pathSegments: 10,
  pathLength: 256,
  groupByProperties: 5,
  filterProperties: 10,
  filterValues: 100,
} as const;
