/** The limits of one usage event. The API document and the errors quote these. */
export const usageLimits = {
  /** Seconds that a timestamp may be ahead of the workspace's clock. */
  aheadSeconds: 5 * 60,
  /** Seconds that a timestamp may be behind the workspace's clock. */
  behindSeconds: 35 * 86_400,
  eventNameLength: 255,
  idempotencyKeyLength: 255,
  /** Levels of objects and lists in `properties`, itself included. */
  propertiesDepth: 10,
  /** Bytes of `properties` as JSON. */
  propertiesBytes: 16_384,
  /** Numbers are below 10^100, with at most this many characters. */
  numberLength: 100,
  pathSegments: 10,
  pathLength: 256,
  groupByProperties: 5,
  filterProperties: 10,
  filterValues: 100,
} as const;
